"use strict";

/* Draws the board of a FEN into an SVG element whose units are squares.
   `arrows` are moves in UCI notation with the class of their arrow. */
function drawBoard(svg, position, { flipped = false, marked = "", arrows = [] } = {}) {
  const place = (file, rank) => flipped ? [7 - file, rank] : [file, 7 - rank];
  const square = (name) => place(name.charCodeAt(0) - 97, Number(name[1]) - 1);
  let text = '<rect class="light" width="8" height="8"/><path class="dark" d="';
  for (let rank = 0; rank < 8; rank++) {
    for (let file = 0; file < 8; file++) {
      if ((file + rank) % 2) text += `M${file} ${rank}h1v1h-1z`;
    }
  }
  text += '"/>';
  for (const name of marked ? [marked.slice(0, 2), marked.slice(2, 4)] : []) {
    const [x, y] = square(name);
    text += `<rect class="marked" x="${x}" y="${y}" width="1" height="1"/>`;
  }
  position.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") {
        file += Number(letter);
        continue;
      }
      const kind = letter.toLowerCase();
      const [x, y] = place(file++, 7 - index);
      const side = letter === kind ? "black" : "white";
      text += `<use class="${side}" href="#${kind}" x="${x}" y="${y}" width="1" height="1"/>`;
    }
  });
  /* Above the pieces, which would hide them. */
  for (let i = 0; i < 8; i++) {
    const [file] = place(i, 0);
    const [, rank] = place(0, i);
    text += `<text x="${file + 0.95}" y="7.95" text-anchor="end">${"abcdefgh"[i]}</text>`;
    text += `<text x="0.05" y="${rank + 0.23}">${i + 1}</text>`;
  }
  for (const [move, kind] of arrows) text += arrow(square(move), square(move.slice(2, 4)), kind);
  svg.innerHTML = text;
}

/* An arrow from the middle of one square to that of another. */
function arrow([x0, y0], [x1, y1], kind) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const angle = Math.atan2(y1 - y0, x1 - x0) * 180 / Math.PI;
  const [tip, head] = [length - 0.12, length - 0.5];
  const path = `M0.25 -0.09H${head}V-0.25L${tip} 0L${head} 0.25V0.09H0.25z`;
  const turn = `translate(${x0 + 0.5} ${y0 + 0.5}) rotate(${angle})`;
  return `<path class="arrow ${kind}" transform="${turn}" d="${path}"/>`;
}
