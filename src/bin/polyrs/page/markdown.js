// Sections of the documentation: paragraphs, quotes, lists, tables and code; within them code and links.

function markdown(text) {
  return text.split(/^```\w*\n|^```$/m).flatMap((part, k) => (k % 2 ? [node("pre", { tabindex: 0 }, part.trimEnd())] : part.split(/\n\n+/).filter((p) => p.trim()).map((p) => block(p.trim()))));
}

function block(text) {
  const lines = text.split("\n");
  if (lines.length > 2 && lines.every((line) => line.startsWith("|"))) return table(lines);
  if (text.startsWith("- ")) return node("ul", {}, ...text.slice(2).split(/\n- /).map((item) => node("li", {}, ...inline(item))));
  if (text.startsWith("> ")) return node("blockquote", {}, ...inline(text.replace(/^> ?/gm, "")));
  return node("p", {}, ...inline(text));
}

// Its second line is the rule between head and body. A | that is no border has a backslash.
function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const row = (line, tag, attributes) => node("tr", {}, ...cells(line).map((cell) => node(tag, attributes, ...inline(cell))));
  return node("table", {}, node("thead", {}, row(lines[0], "th", { scope: "col" })), node("tbody", {}, ...lines.slice(2).map((line) => row(line, "td", {}))));
}

function inline(text) {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).filter((part) => part).map((part) => {
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return node("code", {}, part.slice(1, -1));
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    return link ? linked(link[1], link[2]) : part;
  });
}

// A section that a nest of this page has is gone to; of others the place is told, since a page is one file.
function linked(words, target) {
  const place = target.startsWith("#") ? `docs/reasons.md${target}` : target;
  const nest = data.nests.findIndex((other) => other.page && other.more === place);
  return nest < 0 ? `${words} (${place})` : node("a", { href: `#nest-${nest}` }, words);
}

