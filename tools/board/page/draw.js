/* Lists of moves and the graph of the evaluation. */

import { spoken } from "./board.js";

const GLYPHS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };
const CLASSES = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

const element = (name, className, text = "") => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
};

const glyphOf = (node) =>
  node.glyph ?? (node.nags ?? []).map((nag) => GLYPHS[nag]).find(Boolean) ?? "";

/* Plies before the first move of a game that starts from this FEN. */
export function firstPly(fen) {
  const [, turn, , , , number = 1] = (fen ?? "").split(" ");
  return (Number(number) || 1) * 2 - 2 + (turn === "b" ? 1 : 0);
}

/* Shows the moves of a game; a click goes to one. */
export function drawMoves(place, game, onGo) {
  const first = firstPly(game.start);
  const move = (node, isNumbered) => {
    const ply = first + node.ply - 1;
    const parts = [];
    if (ply % 2 === 0) parts.push(element("b", "", `${ply / 2 + 1}.`));
    else if (isNumbered) parts.push(element("b", "", `${(ply - 1) / 2 + 1}…`));
    const button = element("button", node === game.at ? "current" : "", node.san);
    button.type = "button";
    const number = Math.floor(ply / 2) + 1;
    button.setAttribute(
      "aria-label",
      `${number}, ${ply % 2 ? "Black" : "White"}: ${spoken(node.san)}`,
    );
    if (node === game.at) button.setAttribute("aria-current", "true");
    const glyph = glyphOf(node);
    if (glyph) button.append(element("span", CLASSES[glyph] ?? "", glyph));
    button.addEventListener("click", () => onGo(node));
    parts.push(button);
    return parts;
  };
  const line = (from, into, isNumbered) => {
    let needsNumber = isNumbered;
    for (let at = from; at.children.length; at = at.children[0]) {
      const [next, ...others] = at.children;
      into.append(...move(next, needsNumber));
      needsNumber = false;
      const said = (next.comments ?? [])
        .map((text) => text.replace(/\[%[^\]]*\]/g, "").trim())
        .filter(Boolean);
      for (const comment of said) into.append(element("span", "comment", comment));
      for (const other of others) {
        const side = element("div", "side");
        side.append(...move(other, true));
        line(other, side, false);
        into.append(side);
        needsNumber = true;
      }
    }
  };
  place.replaceChildren();
  line(game.root, place, true);
  const current = place.querySelector(".current");
  if (current) place.scrollTop = current.offsetTop - place.offsetTop - place.clientHeight / 2;
}

/* Shows White's expected score over the main line; `onGo` hears of clicks. */
export function drawGraph(figure, game, onGo) {
  const nodes = game.main();
  const known = nodes
    .map(({ wdl }, ply) => (wdl ? [ply, (wdl[0] + wdl[1] / 2) / 1000] : null))
    .filter(Boolean);
  figure.hidden = known.length < 2;
  if (figure.hidden) return;
  const last = Math.max(1, nodes.length - 1);
  const x = (ply) => (ply * 100) / last;
  const y = (expected) => 40 - 40 * expected;
  const points = known.map(([ply, expected]) => `${x(ply).toFixed(2)} ${y(expected).toFixed(2)}`);
  const area = `M${x(known[0][0])} 40L${points.join("L")}L${x(known.at(-1)[0])} 40z`;
  const svg = figure.firstElementChild;
  const shapes = [
    ["area", area],
    ["middle", "M0 20H100"],
  ];
  for (const [ply, expected] of known) {
    const kind = CLASSES[glyphOf(nodes[ply])];
    if (kind === "mistake" || kind === "blunder")
      shapes.push([`dot ${kind}`, `M${x(ply)} ${y(expected)}h0`]);
  }
  const now = nodes.indexOf(game.at);
  if (now >= 0) shapes.push(["now", `M${x(now)} 0V40`]);
  svg.replaceChildren(
    ...shapes.map(([kind, d]) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", kind);
      path.setAttribute("d", d);
      return path;
    }),
  );
  svg.onclick = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    onGo(nodes[Math.round(((clientX - left) / width) * last)]);
  };
}

/* A table of rows, each a list of cells: the first is the row's name. */
export function drawTable(table, heads, rows) {
  const head = element("tr");
  head.append(...heads.map((text) => Object.assign(element("th", "", text), { scope: "col" })));
  const body = rows.map((cells) => {
    const row = element("tr");
    row.append(...cells.map((cell, at) => element(at ? "td" : "th", "", cell)));
    return row;
  });
  const [thead, tbody] = [element("thead"), element("tbody")];
  thead.append(head);
  tbody.append(...body);
  table.replaceChildren(thead, tbody);
}

export { element };
