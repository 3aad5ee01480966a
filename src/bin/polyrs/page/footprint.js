// What the loops of a nest touch, against the caches: tables, one per statement.
"use strict";

const CACHES = ["first cache", "second cache", "last cache"];
const sizeOf = (bytes) => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) { bytes /= 1024; unit++; }
  return `${unit ? bytes.toPrecision(3) : Math.round(bytes)} ${units[unit]}`;
};

// The nearest cache that holds so much.
function nearestFor(bytes, caches) {
  const level = caches.findIndex((room) => bytes <= room);
  return level < 0 ? "memory" : CACHES[level];
}

function loopRows(order, names, caches) {
  const called = (l) => `${names[l.dim] || `i${l.dim}`}${l.tile ? ` in tiles of ${l.tile}` : ""}`;
  const rows = order.bytes.map((bytes, k) => {
    const what = k === 0 ? "all loops" : `one iteration of ${order.loops.slice(0, k).map(called).join(", ")}`;
    return node("tr", {}, node("td", {}, what), node("td", {}, sizeOf(bytes)), node("td", {}, nearestFor(bytes, caches)));
  });
  return node("tbody", {}, ...rows);
}

function loopTable(title, order, names, caches) {
  const head = node("tr", {}, ...[title, "touches", "fits"].map((text) => node("th", { scope: "col" }, text)));
  return node("table", {}, node("thead", {}, head), loopRows(order, names, caches));
}

// Bytes from behind each cache, and operations per such byte, in both orders.
function trafficTable(statement, caches) {
  const orders = [["original order", statement.original], ["new order", statement.new]].filter(([, order]) => order);
  const intensity = (bytes) => (statement.operations / Math.max(1, bytes)).toPrecision(3);
  const head = node("tr", {}, ...["from behind the", ...orders.map(([name]) => name)].map((text) => node("th", { scope: "col" }, text)));
  const row = (cache, level) => node("tr", {}, node("td", {}, `${cache} (${sizeOf(caches[level])})`),
    ...orders.map(([, order]) => node("td", {}, `${sizeOf(order.moved[level])}: ${intensity(order.moved[level])} operations per byte`)));
  return node("table", { class: "traffic" }, node("thead", {}, head), node("tbody", {}, ...CACHES.map(row)));
}

function footprints(nest) {
  const found = nest.footprints;
  if (!found) return null;
  const parts = found.statements.filter((s) => s.original).flatMap((s) => {
    const k = nest.picture ? nest.picture.statements.findIndex((other) => other.id === s.id) : -1;
    const names = k < 0 ? [] : nest.picture.statements[k].dims;
    const tables = [loopTable("original order", s.original, names, found.caches)];
    if (s.new) tables.push(loopTable("new order", s.new, names, found.caches));
    return [node("h3", {}, `${k < 0 ? s.name : called(nest, k)}: footprint and arithmetic intensity`), node("div", { class: "pictures" }, ...tables), trafficTable(s, found.caches)];
  });
  if (!parts.length) return null;
  const sizes = found.size ? `with ${found.size} for each parameter` : "with the sizes of the source";
  const note = node("p", { class: "note" }, `Estimates ${sizes}; each statement as if it ran alone, in lines of 64 bytes. Operations are instructions other than loads, stores and addresses.`);
  return node("details", { class: "footprint" }, node("summary", {}, "Caches"), note, ...parts);
}
