// Runs the loops of a step for chosen parameter values, and finds what depends on what.
"use strict";

const MOST_INSTANCES = 2500;

function valueOf(e, params, iters) {
  if (typeof e === "number") return e;
  const of = (k) => valueOf(e[k], params, iters);
  const all = () => e.slice(1).map((part) => valueOf(part, params, iters));
  switch (e[0]) {
    case "p": return params[e[1]];
    case "i": return iters[e[1]];
    case "+": return all().reduce((a, b) => a + b, 0);
    case "*": return e[1] * of(2);
    case "/": return Math.floor(of(1) / e[2]);
    case "^": return Math.ceil(of(1) / e[2]);
    case "%": { const v = of(1); return v - e[2] * Math.floor(v / e[2]); }
    case "m": return Math.min(...all());
    default: return Math.max(...all());
  }
}

function holds(c, params, iters) {
  if (typeof c === "boolean") return c;
  const all = c.slice(1);
  switch (c[0]) {
    case "and": return all.every((part) => holds(part, params, iters));
    case "or": return all.some((part) => holds(part, params, iters));
    case "not": return !holds(c[1], params, iters);
    case ">=": return valueOf(c[1], params, iters) >= valueOf(c[2], params, iters);
    default: return valueOf(c[1], params, iters) === valueOf(c[2], params, iters);
  }
}

// The instances { s, at } that the loops run, in order; null if there are more than a picture has room for.
function instancesOf(loops, params) {
  const found = [], iters = {};
  let left = 40 * MOST_INSTANCES;
  const run = (block) => block.every((part) => {
    if (--left < 0) return false;
    if ("block" in part) return run(part.block);
    if ("if" in part) return run(holds(part.if, params, iters) ? part.then : part.else);
    if ("run" in part) {
      found.push({ s: part.run, at: part.at.map((e) => valueOf(e, params, iters)) });
      return found.length <= MOST_INSTANCES;
    }
    const from = valueOf(part.from, params, iters), to = valueOf(part.to, params, iters);
    for (let v = from; v <= to; v += part.step) {
      iters[part.for] = v;
      if (!run(part.body)) return false;
    }
    return true;
  });
  return run(loops) ? found : null;
}

// A function { d, r } at a point.
function functionAt(f, params, dims) {
  const values = [...params, ...dims];
  const dot = (row) => values.reduce((sum, v, k) => sum + row[k] * v, row[row.length - 1]);
  for (const [row, divisor] of f.d) values.push(Math.floor(dot(row) / divisor));
  return dot(f.r);
}

const keyOf = (instance) => `${instance.s}:${instance.at}`;

// Pairs of instances of the original order that touch one element, one of them writing, with no write in between.
function arrowsOf(statements, order, params) {
  const elements = new Map(), arrows = new Map();
  const add = (kind, from, to, array) => {
    if (from !== to) arrows.set(`${kind} ${from} ${to} ${array}`, { kind, from, to, array });
  };
  const touch = (n, writes) => {
    const { s, at } = order[n];
    for (const access of statements[s].accesses.filter((a) => a.writes === writes)) {
      const name = `${access.array}:${access.subscripts.map((f) => functionAt(f, params, at))}`;
      if (!elements.has(name)) elements.set(name, { write: null, reads: [] });
      const element = elements.get(name);
      if (!writes) {
        if (element.write !== null) add("RAW", element.write, n, access.array);
        element.reads.push(n);
        continue;
      }
      for (const read of element.reads) add("WAR", read, n, access.array);
      if (element.write !== null) add("WAW", element.write, n, access.array);
      element.write = n;
      element.reads = [];
    }
  };
  order.forEach((_, n) => { touch(n, false); touch(n, true); });
  return [...arrows.values()];
}

// What the time of a step says of an instance: values of the loops over tiles and of those inside, and with which others
// it may run at the same time.
function timeOf(step, instance, params) {
  if (!step.times) return null;
  const parts = step.times[instance.s].filter((part) => "value" in part);
  const values = parts.map((part) => functionAt(part.value, params, instance.at));
  const free = parts.findIndex((part) => part.free);
  const threads = parts.findIndex((part) => part.threads);
  const split = threads >= 0 ? threads : free;
  return {
    tile: values.filter((_, k) => parts[k].tile),
    points: values.filter((_, k) => !parts[k].tile),
    all: values,
    wave: split > 0 ? values.slice(0, split) : null,
    lane: split === 0 ? values[0] : null,
  };
}

// The difference of two times, in the loops that both have.
function distance(from, to) {
  return to.slice(0, from.length).map((v, k) => v - from[k]);
}
