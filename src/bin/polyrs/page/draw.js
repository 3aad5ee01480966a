// Draws the instances of a step: points, tiles around them, dependences between them.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8;
let drawings = 0;

function node(name, attributes, ...children) {
  const element = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Corners of the smallest convex shape around points.
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function arrowHeads(id) {
  const head = (kind) => node("svg:marker", { id: `${id}-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" },
    node("svg:path", { d: "M0,0L8,4L0,8z", class: kind, stroke: "none" }));
  return node("svg:defs", {}, ...["RAW", "WAR", "WAW"].map(head));
}

// An arrow between two points; curved, so that one along a line of points does not hide behind them.
function arrow(id, kind, from, to, radius) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(14, length * 0.12);
  const middle = [(from[0] + to[0]) / 2 - (dy / length) * bend, (from[1] + to[1]) / 2 + (dx / length) * bend];
  const off = (p) => {
    const [ex, ey] = [middle[0] - p[0], middle[1] - p[1]];
    const l = Math.hypot(ex, ey) || 1;
    return [p[0] + (ex / l) * radius, p[1] + (ey / l) * radius];
  };
  const [a, b] = [off(from), off(to)];
  return node("svg:path", { class: `arrow ${kind}`, d: `M${a}Q${middle} ${b}`, "marker-end": `url(#${id}-${kind})` });
}

// From 0 on, unless that is far away.
const range = (values) => {
  const low = Math.min(...values);
  return [low > 8 && low < Infinity ? low : Math.min(low, 0), Math.max(...values, 1)];
};

// The distance of neighbours with which pictures fit beside each other: one scale for all of them.
function gapFor(pictures) {
  const extent = (values) => { const [low, high] = range(values); return high - low + 1; };
  const most = (key) => Math.max(...pictures.map((points) => extent(points.map((p) => p[key]))));
  return Math.max(14, Math.min(44, 256 / most("x"), 420 / most("y")));
}

// A picture of points { x, y, colour, shape, tile, label, conflict } with arrows { kind, from, to } (numbers of points).
// Returns the element and a function that shows how far the run is.
function picture(points, arrows, axes, label, gap) {
  const id = `p${drawings++}`;
  const [x0, x1] = range(points.map((p) => p.x)), [y0, y1] = range(points.map((p) => p.y));
  const radius = gap * (points.some((p) => p.shape > 0) ? 0.15 : 0.2), left = 34, bottom = 36, top = 14;
  const width = (x1 - x0) * gap + left + gap, height = (y1 - y0) * gap + bottom + gap + top;
  const place = (p) => [left + (p.x - x0) * gap + gap / 2, height - bottom - (p.y - y0) * gap - gap / 2];
  const svg = node("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, style: `width:${width}px` }, arrowHeads(id));
  const tick = (v, step) => v % step === 0;
  const stepFor = (n) => Math.max(1, Math.ceil(n / 12));
  for (let v = Math.ceil(x0); v <= x1; v++)
    if (tick(v, stepFor(x1 - x0))) svg.append(node("svg:text", { x: place({ x: v, y: 0 })[0], y: height - 20, "text-anchor": "middle" }, String(v)));
  for (let v = Math.ceil(y0); axes[1] && v <= y1; v++)
    if (tick(v, stepFor(y1 - y0))) svg.append(node("svg:text", { x: 26, y: place({ x: 0, y: v })[1] + 4, "text-anchor": "end" }, String(v)));
  svg.append(node("svg:text", { x: width - 4, y: height - 4, "text-anchor": "end" }, `${axes[0]} →`));
  if (axes[1]) svg.append(node("svg:text", { x: 2, y: 11 }, `↑ ${axes[1]}`));
  const tiles = new Map();
  for (const p of points) if (p.tile !== null) tiles.set(p.tile, [...(tiles.get(p.tile) || []), place(p)]);
  const reach = gap * 0.4;
  for (const members of tiles.values()) {
    const corners = members.flatMap(([x, y]) => [[x - reach, y - reach], [x + reach, y - reach], [x - reach, y + reach], [x + reach, y + reach]]);
    svg.append(node("svg:polygon", { class: "tile", points: hull(corners).join(" ") }));
  }
  for (const a of arrows) svg.append(arrow(id, a.kind, place(points[a.from]), place(points[a.to]), radius + 2));
  const trail = node("svg:polyline", { class: "trail" });
  svg.append(trail);
  const marks = points.map((p) => {
    const [x, y] = place(p), colour = `var(--c${p.colour % COLOURS})`;
    const mark = p.shape === 0 ? node("svg:circle", { cx: x, cy: y, r: radius })
      : node("svg:rect", { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius, transform: `rotate(${p.shape === 1 ? 0 : 45} ${x} ${y})` });
    mark.setAttribute("class", p.conflict ? "point conflict" : "point");
    mark.setAttribute("style", `stroke:${colour}`);
    mark.append(node("svg:title", {}, p.label));
    svg.append(mark);
    return mark;
  });
  const now = node("svg:circle", { class: "now", r: radius + 4, visibility: "hidden" });
  svg.append(now);
  const show = (count) => {
    marks.forEach((mark, k) => mark.setAttribute("style", `stroke:var(--c${points[k].colour % COLOURS});fill:${k < count ? `var(--c${points[k].colour % COLOURS})` : "var(--panel)"}`));
    const last = points[count - 1];
    now.setAttribute("visibility", last && count < points.length ? "visible" : "hidden");
    if (last) { now.setAttribute("cx", place(last)[0]); now.setAttribute("cy", place(last)[1]); }
    trail.setAttribute("points", count < points.length ? points.slice(Math.max(0, count - 14), count).map(place).join(" ") : "");
  };
  show(points.length);
  return { svg, show, width: Math.max(width, 220) };
}
