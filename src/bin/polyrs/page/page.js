// The page: overview, source, and for each nest its verdict, pictures and proof.
"use strict";

const WORDS = { rewritten: "✓ rewritten", kept: "= kept", refused: "✗ refused", "given-up": "… given up", "internal-error": "! internal error" };
const KINDS = { RAW: "read after write", WAR: "write after read", WAW: "write after write" };
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const badge = (nest) => node("span", { class: `badge ${nest.verdict}` }, WORDS[nest.verdict] || nest.verdict);
const placeOf = (nest) => nest.start || nest.at;
const times = (costs) => `${costs.gain.toFixed(2)} times as fast`;
const large = (n) => (n >= 1e9 ? `${(n / 1e9).toPrecision(3)} G` : n >= 1e6 ? `${(n / 1e6).toPrecision(3)} M` : n >= 1e3 ? `${(n / 1e3).toPrecision(3)} k` : n) + " cycles";

function overview() {
  const whole = data.nests.filter((nest) => !nest.inside);
  const count = (verdict) => whole.filter((nest) => nest.verdict === verdict).length;
  byId("summary").textContent = `${whole.length} loop nest${whole.length === 1 ? "" : "s"}: ${count("rewritten")} rewritten, ${count("kept")} kept, ${whole.length - count("rewritten") - count("kept")} not optimized.`;
  const row = (nest, k) => {
    const at = placeOf(nest);
    const link = node("a", { href: `#nest-${k}` }, (nest.inside ? "inside: " : "") + nest.name + (at ? `, line ${at.line}` : ""));
    const cost = nest.costs ? `${large(nest.costs.usual)}` + (nest.verdict === "rewritten" ? `; now ${times(nest.costs)}` : "") : "not estimated";
    return node("tr", {}, node("td", {}, badge(nest)), node("td", {}, link), node("td", {}, nest.short), node("td", {}, cost));
  };
  const head = node("tr", {}, ...["Verdict", "Nest", "Why", "Estimate for the usual sizes"].map((title) => node("th", { scope: "col" }, title)));
  byId("overview").append(node("table", {}, node("thead", {}, head), node("tbody", {}, ...data.nests.map(row))));
}

function source() {
  const badges = new Map();
  const name = data.file.split("/").pop();
  data.nests.forEach((nest, k) => {
    // Nests that go together have one verdict, and each a badge.
    for (const at of [placeOf(nest), ...(nest.with || [])])
      if (at && at.file.split("/").pop() === name) badges.set(at.line, [...(badges.get(at.line) || []), node("a", { href: `#nest-${k}` }, badge(nest))]);
  });
  const lines = data.lines.map((text, k) => node("div", { id: `line-${k + 1}` }, node("span", { class: "number" }, String(k + 1)), text || " ", ...(badges.get(k + 1) || [])));
  byId("source").append(node("div", { class: "source" }, ...lines));
  byId("source-box").open = data.lines.length > 0 && data.lines.length <= 60;
}

function facts(nest) {
  const list = [];
  const add = (...parts) => list.push(node("li", {}, ...parts));
  add(nest.message);
  if (nest.costs) add(`Estimated ${large(nest.costs.new)} in the best new order, ${large(nest.costs.original)} in the original one: ${times(nest.costs)}${nest.costs.of ? `, ${nest.costs.of}` : ""}${nest.target ? `; for ${nest.target}` : ""}.`);
  if (nest.with.length) add(`Together with the loops in line${nest.with.length > 1 ? "s" : ""} ${nest.with.map((at) => at.line).join(", ")}.`);
  for (const test of nest.tests) add(`Tested at run time: ${test}.`);
  for (const what of nest.binding) add(`What binds the order: ${what}.`);
  if (nest.remedy) add(`What helps: ${nest.remedy}.`);
  if (nest.page) add(node("details", { class: "page" }, node("summary", {}, `More of this: ${nest.more}`), ...markdown(nest.page)));
  return node("ul", {}, ...list);
}

// What a statement is called: by its line, or by what it does where it has none.
const called = (nest, s) => nest.picture.statements[s].name;

// Names of the loops that a step's points have.
function axesOf(view) {
  const { nest, step, inNew } = view;
  const widest = nest.picture.statements.reduce((a, b) => (b.dims.length > a.dims.length ? b : a));
  if (!inNew) return widest.dims;
  const index = nest.picture.statements.indexOf(widest);
  const points = step.times[index].filter((part) => "value" in part && !part.tile);
  return points.map((part, k) => formula(part.value, [...nest.picture.params, ...widest.dims]) || `t${k}`);
}

// `i + 2j`, if there is no floor in it.
function formula(f, names) {
  if (f.d.length) return null;
  const terms = names.map((name, k) => [f.r[k], name]).filter(([c]) => c !== 0);
  const text = terms.map(([c, name], k) => `${c < 0 ? (k ? " - " : "-") : k ? " + " : ""}${Math.abs(c) === 1 ? "" : Math.abs(c)}${name}`).join("");
  return text || "0";
}

// The two instances that the user's order, if it is illegal, runs the wrong way around: { instance: what it must do }.
function conflictOf(nest) {
  const found = /is illegal: (\w+)\[([^\]]*)\] must run after (\w+)\[([^\]]*)\]/.exec(nest.why || nest.message);
  if (!found) return new Map();
  const key = (id, at) => `${id}[${at}]`;
  const words = (id, at) => `${called(nest, nest.picture.statements.findIndex((s) => s.id === id))} at (${at})`;
  const [late, early] = [[found[1], found[2]], [found[3], found[4]]];
  return new Map([[key(...late), `must run after ${words(...early)}`], [key(...early), `must run before ${words(...late)}`]]);
}

function pointsOf(view, order) {
  const { nest, step, params, inNew, x, y } = view;
  const waves = new Map(), lanes = new Map(), conflicts = conflictOf(nest);
  const number = (map, key) => { if (!map.has(key)) map.set(key, map.size); return map.get(key); };
  return order.map((instance, n) => {
    const time = timeOf(step, instance, params);
    const at = inNew && time ? time.points : instance.at;
    const statement = nest.picture.statements[instance.s];
    const dims = statement.dims.map((name, k) => `${name} = ${instance.at[k]}`).join(", ");
    const conflict = conflicts.get(`${statement.id}[${instance.at.join(", ")}]`) || null;
    const colour = !time ? 0 : time.wave ? number(waves, String(time.wave)) : time.lane !== null ? number(lanes, String(time.lane)) : 0;
    return {
      n, instance, at, colour, conflict, shape: instance.s % 3,
      x: (at[x] || 0) + (instance.s % 3) * 0.3, y: (x === y ? 0 : at[y] || 0) + (instance.s % 3) * 0.3,
      tile: time && time.tile.length ? String(time.tile) : null,
      label: `${n + 1}. ${called(nest, instance.s)}: ${dims}${conflict ? `; ${conflict}` : ""}`,
    };
  });
}

// Points of the chosen slice, with the arrows between them.
function sliceOf(view, points, arrows) {
  const { slices, x, y } = view;
  const inside = (p) => p.at.every((v, k) => k === x || k === y || !(k in slices) || slices[k] === v);
  const shown = points.filter(inside);
  const position = new Map(shown.map((p, k) => [keyOf(p.instance), k]));
  const kept = [];
  for (const a of arrows) {
    const [from, to] = [position.get(keyOf(a.source)), position.get(keyOf(a.target))];
    if (from !== undefined && to !== undefined && view.kinds[a.kind]) kept.push({ kind: a.kind, from, to });
  }
  return { shown, kept };
}

function proofs(nest, step, arrows, order, params) {
  const place = new Map(order.map((instance, n) => [keyOf(instance), n]));
  const line = (dep) => {
    const pairs = arrows.filter((a) => a.kind === dep.kind && a.array === dep.arrayIndex && a.source.s === dep.source && a.target.s === dep.destination);
    const forward = pairs.filter((a) => place.get(keyOf(a.source)) < place.get(keyOf(a.target))).length;
    let now = "every pair has a write in between";
    if (pairs.length && step.times) {
      const vectors = pairs.map((a) => distance(timeOf(step, a.source, params).all, timeOf(step, a.target, params).all));
      const same = vectors.every((v) => v.length === vectors[0].length);
      const bounds = (k) => { const all = vectors.map((v) => v[k]); const [lo, hi] = [Math.min(...all), Math.max(...all)]; return lo === hi ? lo : `${lo}..${hi}`; };
      if (same) now = `distance (${vectors[0].map((_, k) => bounds(k)).join(", ")})`;
    }
    if (pairs.length) now += `, ${forward} of ${pairs.length} pairs forward ${forward === pairs.length ? "✓" : dep.update ? "(updates, may change places)" : "✗"}`;
    return node("li", {}, node("span", { class: `key ${dep.kind}`, "aria-hidden": "true" }), ` ${dep.kind} on ${dep.array}, ${called(nest, dep.source)} → ${called(nest, dep.destination)}: distance in the source's loops (${dep.distances.join("); (")}): forward. In this order: ${now}.`);
  };
  if (!nest.picture.dependences.length) return node("p", {}, "No dependences: any order is legal.");
  return node("ul", {}, ...nest.picture.dependences.map(line));
}

// Whether loops of a step run along sums of the source's: then these are what is worth seeing.
function isSkewed(step) {
  if (!step.times) return false;
  const coefficients = (f) => f.r.slice(0, -1).filter((c) => c !== 0).length;
  return step.times.some((parts) => parts.some((part) => "value" in part && !part.tile && !part.value.d.length && coefficients(part.value) > 1));
}

// Two dims, those first that dependences run along.
function defaultAxes(pic) {
  const widest = Math.max(...pic.statements.map((s) => s.dims.length));
  const carried = (k) => pic.dependences.some((dep) => dep.distances.some((d) => ![undefined, "0"].includes(d.split(", ")[k])));
  const dims = [...Array(widest).keys()];
  const first = [...dims.filter(carried), ...dims.filter((k) => !carried(k))].slice(0, 2).sort((a, b) => a - b);
  return { x: first[0] || 0, y: first.length > 1 ? first[1] : first[0] || 0 };
}

function defaultParams(pic) {
  for (let v = 9; v >= 2; v--) {
    const params = pic.params.map(() => v);
    const found = instancesOf(pic.steps[0].loops, params);
    if (found && found.length > 0 && found.length <= 400) return params;
  }
  return pic.params.map(() => 4);
}

function nestView(nest, k) {
  const at = placeOf(nest);
  const title = node("h2", { id: `nest-${k}-title` }, badge(nest), ` ${nest.name}`, at ? ", " : "", at ? node("a", { href: `#line-${at.line}` }, `line ${at.line}`) : "");
  const section = node("section", { class: "nest", id: `nest-${k}`, "aria-labelledby": `nest-${k}-title` }, title, facts(nest));
  const caches = footprints(nest);
  if (caches) section.append(caches);
  const pic = nest.picture;
  if (!pic) {
    if (nest.noPicture && nest.verdict === "rewritten") section.append(node("p", { class: "note" }, `No picture: ${nest.noPicture}.`));
    return section;
  }
  const view = { nest, params: defaultParams(pic), step: pic.steps[pic.steps.length - 1], inNew: isSkewed(pic.steps[pic.steps.length - 1]), ...defaultAxes(pic), slices: {}, originalSlices: {}, kinds: { RAW: true, WAR: false, WAW: false }, at: null };
  const kindsThere = new Set(pic.dependences.map((dep) => dep.kind));
  if (!kindsThere.has("RAW")) kindsThere.forEach((kind) => { view.kinds[kind] = true; });
  if (pic.isCut) section.append(node("p", { class: "note" }, "Of each loop, the first iterations are drawn."));
  const body = node("div", {});
  section.append(body);
  const state = { playing: null };
  build(view, body, state);
  return section;
}

// Builds the part of a nest that changes with what is chosen.
function build(view, body, state) {
  const { nest } = view, pic = nest.picture;
  stop(state);
  const focused = document.activeElement && body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  if (!view.step.times) view.inNew = false;
  const axes = axesOf(view);
  view.x = Math.min(view.x, axes.length - 1);
  if (view.y >= axes.length) view.y = Math.max(0, axes.length - 1);
  const rebuild = () => build(view, body, state);
  const rows = [stepper(view, rebuild), node("p", {}, view.step.what), sliders(view, axes, rebuild)];
  const original = instancesOf(pic.steps[0].loops, view.params);
  const order = instancesOf(view.step.loops, view.params);
  if (!original || !order || !original.length) {
    rows.push(node("p", { class: "note" }, original && !original.length ? "No iteration runs at these sizes." : "Too many iterations to draw at these sizes."));
    body.replaceChildren(...rows, code(view));
    return;
  }
  const arrows = arrowsOf(pic.statements, original, view.params).map((a) => ({ ...a, source: original[a.from], target: original[a.to] }));
  rows.push(slicers(view, axes, order, rebuild));
  const before = besides(view, pic.steps[0]);
  if (before.inNew !== view.inNew) rows.push(slicers(before, axesOf(before), original, rebuild, "original: "));
  rows.push(arrowBoxes(view, rebuild));
  const sides = view.step === pic.steps[0] ? [[view, order, "Original order"]] : [[before, original, "Original order"], [view, order, `Order of the step “${view.step.title}”`]];
  const slices = sides.map(([side, list]) => sliceOf(side, pointsOf(side, list), arrows));
  const gap = gapFor(slices.map((slice) => slice.shown));
  const runs = sides.map(([side, list, name], k) => {
    const { shown, kept } = slices[k];
    const names = axesOf(side);
    const over = view.x === view.y ? names[view.x] : `${names[view.x]} and ${names[view.y]}`;
    const label = `${name}: ${shown.length} of ${list.length} iterations drawn over ${over}, ${kept.length} dependences as arrows.`;
    const drawing = picture(shown, kept, [names[view.x], view.x === view.y ? "" : names[view.y] || ""], label, gap);
    return { ...drawing, shown, name, label };
  });
  const figures = runs.map((run) => node("figure", { style: `max-width:${run.width}px` }, run.svg, node("figcaption", {}, run.label)));
  const live = node("p", { class: "live", "aria-live": "polite" });
  rows.push(node("div", { class: "two" }, node("div", {}, node("div", { class: "pictures" }, ...figures), player(runs, live, state), live, legend(view)), code(view)));
  rows.push(node("h3", {}, "Dependences"), proofs(nest, view.step, arrows, order, view.params), asText(runs));
  body.replaceChildren(...rows);
  if (focused) { const again = body.querySelector(`[data-key="${focused}"]`); if (again) again.focus(); }
}

function unslice(view) {
  view.slices = {};
  view.originalSlices = {};
}

// The original order beside that of a step. Where one is drawn over the loops of the source and one over new ones, a
// slice of one says nothing of the other.
function besides(view, step) {
  const before = { ...view, step, inNew: false };
  if (!view.inNew) return before;
  const last = axesOf(before).length - 1;
  return { ...before, x: Math.min(view.x, last), y: Math.min(view.y, last), slices: view.originalSlices };
}

function stepper(view, rebuild) {
  const button = (step, k) => node("button", { type: "button", "data-key": `step-${k}`, "aria-pressed": String(step === view.step), onclick: () => { view.step = step; view.inNew = isSkewed(step); unslice(view); rebuild(); } }, `${k + 1}. ${step.title}`);
  return node("div", { class: "controls steps", role: "group", "aria-label": "Steps from the original to the new loops" }, ...view.nest.picture.steps.map(button));
}

function sliders(view, axes, rebuild) {
  const slider = (name, k) => {
    const output = node("output", {}, String(view.params[k]));
    const input = node("input", { type: "range", min: 0, max: 16, value: view.params[k], "data-key": `param-${k}`, onchange: rebuild, oninput: () => { view.params[k] = Number(input.value); output.textContent = input.value; } });
    return node("label", {}, name, input, output);
  };
  const choice = (key, name) => {
    const select = node("select", { "data-key": key, onchange: () => { view[key] = Number(select.value); unslice(view); rebuild(); } },
      ...axes.map((axis, k) => node("option", { value: k, selected: view[key] === k }, axis)));
    return node("label", {}, name, select);
  };
  const box = view.step.times ? node("input", { type: "checkbox", "data-key": "new", checked: view.inNew, onchange: () => { view.inNew = !view.inNew; unslice(view); rebuild(); } }) : null;
  return node("div", { class: "controls" }, ...view.nest.picture.params.map(slider), ...(axes.length > 1 ? [choice("x", "across"), choice("y", "up")] : []), box ? node("label", {}, box, "draw over the new loops") : null);
}

// One slider for each loop that is neither across nor up.
function slicers(view, axes, order, rebuild, whose = "") {
  const points = pointsOf(view, order);
  const slicer = (axis, k) => {
    if (k === view.x || k === view.y) return null;
    const values = points.map((p) => p.at[k]).filter((v) => v !== undefined);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (low === high) { view.slices[k] = low; return null; }
    view.slices[k] = Math.min(high, Math.max(low, k in view.slices ? view.slices[k] : Math.floor((low + high) / 2)));
    const output = node("output", {}, String(view.slices[k]));
    const input = node("input", { type: "range", min: low, max: high, value: view.slices[k], "data-key": `${whose.slice(0, -2)}slice-${k}`, onchange: rebuild, oninput: () => { view.slices[k] = Number(input.value); output.textContent = input.value; } });
    return node("label", {}, `${whose}slice at ${axis} =`, input, output);
  };
  return node("div", { class: "controls" }, ...axes.map(slicer));
}

function arrowBoxes(view, rebuild) {
  const there = Object.keys(KINDS).filter((kind) => view.nest.picture.dependences.some((dep) => dep.kind === kind));
  const one = (kind) => {
    const input = node("input", { type: "checkbox", "data-key": `kind-${kind}`, checked: view.kinds[kind], onchange: () => { view.kinds[kind] = input.checked; rebuild(); } });
    return node("label", {}, input, node("span", { class: `key ${kind}`, "aria-hidden": "true" }), `${kind} (${KINDS[kind]})`);
  };
  return node("div", { class: "controls" }, ...there.map(one));
}

function oneColour(view) {
  if (!view.nest.picture.dependences.length) return "One colour: no iteration needs another one's result, so that all of them may run at the same time.";
  // Of the order of the source nobody has asked.
  return view.step === view.nest.picture.steps[0] ? "One colour: which loops are free of dependences is not told of this step." : "One colour: no loop of this order is free of dependences.";
}

function legend(view) {
  const parts = view.step.times ? view.step.times[0].filter((part) => "value" in part) : [];
  const free = parts.findIndex((part) => part.threads) >= 0 ? parts.findIndex((part) => part.threads) : parts.findIndex((part) => part.free);
  const says = free < 0 ? oneColour(view)
    : free === 0 ? "A colour for each iteration of the outermost loop: it carries no dependence, so that all of them may run at the same time."
      : parts[free].tile ? "A colour for each wavefront of tiles: tiles of one colour carry no dependence between them and may run at the same time; inside of a tile iterations run one after the other."
        : "A colour for each wavefront: iterations of one colour carry no dependence between them in the next loop and may run at the same time.";
  const tiles = parts.some((part) => part.tile) ? " Outlines are tiles." : "";
  const [conflict] = conflictOf(view.nest);
  const wrong = conflict ? " Thick dashes: two iterations that the refused order would run the wrong way around." : "";
  const marks = ["●", "■", "◆"];
  const statements = view.nest.picture.statements.map((s, k) => node("li", {}, `${marks[k % 3]} ${s.line ? `${s.name}: ` : ""}`, node("code", {}, s.line ? s.text : s.name)));
  return node("div", { class: "note" }, node("p", {}, says + tiles + wrong), node("ul", { class: "plain" }, ...statements));
}

function player(runs, live, state) {
  const total = Math.max(...runs.map((run) => run.shown.length));
  const slider = node("input", { type: "range", min: 0, max: total, value: total, "aria-label": "Iterations that have run", "data-key": "time", oninput: () => show(Number(slider.value)) });
  const show = (count) => {
    slider.value = count;
    runs.forEach((run) => run.show(Math.min(count, run.shown.length)));
    live.textContent = count === 0 ? "Nothing has run." : runs.map((run) => run.shown[Math.min(count, run.shown.length) - 1]).map((p, k) => (p ? `${runs.length > 1 ? (k ? "New" : "Original") + ": " : ""}${p.label}` : "")).join(" · ");
  };
  const play = node("button", { type: "button", "data-key": "play", onclick: () => (state.playing ? halt() : start()) }, "▶ Play");
  const halt = () => { stop(state); play.textContent = "▶ Play"; };
  const start = () => {
    if (Number(slider.value) >= total) show(0);
    play.textContent = "❚❚ Pause";
    const pause = Math.max(30, Math.min(250, 9000 / total));
    state.playing = setInterval(() => { const next = Number(slider.value) + 1; show(next); if (next >= total) halt(); }, pause);
  };
  const move = (by) => () => { halt(); show(Math.max(0, Math.min(total, Number(slider.value) + by))); };
  return node("div", { class: "controls player" }, play, node("button", { type: "button", "data-key": "back", onclick: move(-1) }, "◀ back"), node("button", { type: "button", "data-key": "on", onclick: move(1) }, "next ▶"), slider);
}

function stop(state) {
  if (state.playing) clearInterval(state.playing);
  state.playing = null;
}

function code(view) {
  return node("pre", { tabindex: 0, role: "region", "aria-label": `Loops of the step ${view.step.title}` }, view.step.code.join("\n"));
}

function asText(runs) {
  const list = (run) => node("div", {}, node("h3", {}, run.name), node("p", { class: "note" }, run.shown.map((p) => `(${p.instance.at.join(", ")})`).join(" ")));
  return node("details", {}, node("summary", {}, "The orders as text"), ...runs.map(list));
}

overview();
source();
byId("nests").append(...data.nests.map(nestView));
