/* The board: chessground, typed moves, and what a screen reader says. */

import { Chessground } from "./chessground.js";

const PIECES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };
const PROMOTIONS = [
  ["q", "queen"],
  ["r", "rook"],
  ["b", "bishop"],
  ["n", "knight"],
];
/* A null move, which has no squares. */
const PASS = "0000";
const find = (id) => document.getElementById(id);

/* A move in words: Nxe5+ → knight takes e5, check. */
export function spoken(san) {
  if (san === "--") return "passes";
  if (san.startsWith("O-O-O")) return "castles queenside";
  if (san.startsWith("O-O")) return "castles kingside";
  const piece = PIECES[san[0]] ?? "";
  let text = piece ? san.slice(1) : san;
  text = text.replace("x", " takes ").replace("+", ", check").replace("#", ", checkmate");
  text = text.replace(/=(.)/, (_, to) => `, promotes to ${PIECES[to]}`);
  return `${piece} ${text}`.trim();
}

export class Board {
  /* `onMove(uci)` and `onWord(text)` hear of the reader's moves. */
  constructor(onMove, onWord) {
    this.onMove = onMove;
    this.at = null;
    this.ground = Chessground(find("board"), {
      animation: { duration: 150 },
      movable: {
        free: false,
        showDests: true,
        events: { after: (from, to, { premove }) => this.moved(from, to, premove) },
      },
      premovable: {
        enabled: true,
        events: { set: (from, to) => this.say(`In advance: ${from} to ${to}`) },
      },
      drawable: { enabled: true, brushes: this.brushes() },
    });
    /* It keeps where it stands until it is resized, but what is above it may grow. */
    for (const kind of ["mousedown", "touchstart"]) {
      find("board").addEventListener(kind, () => this.ground.state.dom.bounds.clear(), {
        capture: true,
        passive: true,
      });
    }
    find("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      const input = find("word");
      if (input.value.trim()) onWord(input.value.trim());
      input.value = "";
    });
  }

  brushes() {
    const brush = (key, color, opacity) => [key, { key, color, opacity, lineWidth: 10 }];
    return Object.fromEntries([
      brush("green", "#2f8f57", 0.9),
      brush("blue", "#3d6f8e", 0.7),
      brush("red", "#c22f2f", 0.8),
      brush("yellow", "#d9a11f", 0.8),
      brush("pale", "#3d6f8e", 0.4),
    ]);
  }

  /* Shows the position `at` of the server. `color` may move, or choose a move in advance while it
     is the other's turn. */
  show(at, lastMove, color) {
    this.at = at;
    const dests = new Map();
    for (const uci of Object.keys(at.legal)) {
      const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
      dests.set(from, [...(dests.get(from) ?? []), to]);
    }
    const turn = at.white ? "white" : "black";
    const isMove = lastMove && lastMove !== PASS;
    const mayMove = color === "both" || color === turn;
    const wasMarked = this.ground.state.lastMove;
    this.ground.set({
      fen: at.fen,
      turnColor: turn,
      check: at.check,
      lastMove: isMove ? [lastMove.slice(0, 2), lastMove.slice(2, 4)] : undefined,
      movable: {
        color: mayMove ? turn : color === "none" ? undefined : color,
        dests: mayMove ? dests : new Map(),
      },
    });
    if (wasMarked && !isMove) this.unmark();
    find("word").disabled = !mayMove;
    this.tablebase(at.tablebase);
    const isChosen = Boolean(this.ground.state.premovable.current);
    if (mayMove && isChosen && !this.ground.playPremove()) this.unmark();
    else if (color === "none") this.forget();
  }

  /* Forgets the move chosen in advance. */
  forget() {
    if (!this.ground.state.premovable.current) return;
    this.ground.cancelPremove();
    this.unmark();
  }

  /* chessground 10.1.1 takes marks of squares away only for others. */
  unmark() {
    this.ground.redrawAll();
  }

  tablebase(known) {
    find("tablebase").hidden = !known;
    if (!known) return;
    const best = Object.entries(known.moves).filter(([, [result]]) => result === known.result);
    const moves = best.map(([uci]) => this.at.legal[uci]).join(", ");
    const side = this.at.white ? "White" : "Black";
    find("tablebase").textContent =
      `Tablebase: ${side} has a ${known.result} by ${moves || "any move"}.`;
  }

  /* A pawn that promotes in advance becomes a queen: there is no time to ask. */
  async moved(from, to, isInAdvance) {
    const fitting = Object.keys(this.at.legal).filter((uci) => uci.startsWith(from + to));
    let [uci] = fitting;
    if (fitting.length > 1)
      uci = isInAdvance ? `${from}${to}q` : await this.promotion(from + to);
    if (uci) this.onMove(uci);
    else this.ground.set({ fen: this.at.fen });
  }

  promotion(squares) {
    const dialog = find("promotion");
    dialog.hidden = false;
    return new Promise((resolve) => {
      const close = (uci) => {
        dialog.hidden = true;
        dialog.replaceChildren();
        resolve(uci);
      };
      dialog.replaceChildren(
        ...PROMOTIONS.map(([letter, name]) => {
          const button = document.createElement("button");
          button.type = "button";
          button.textContent = name;
          button.addEventListener("click", () => close(squares + letter));
          return button;
        }),
      );
      dialog.onkeydown = ({ key }) => key === "Escape" && close(null);
      dialog.firstElementChild.focus();
    });
  }

  arrows(moves) {
    this.ground.setAutoShapes(
      moves.map(([uci, brush]) => ({ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush })),
    );
  }

  flip() {
    this.ground.toggleOrientation();
    find("bar").classList.toggle("flipped", this.isFlipped());
  }

  isFlipped() {
    return this.ground.state.orientation === "black";
  }

  turnTo(color) {
    if (this.ground.state.orientation !== color) this.flip();
  }

  /* The bar beside the board: chances of win, draw and loss in per mille, for White. */
  chances(wdl) {
    const [win, draw, loss] = wdl ?? [0, 0, 0];
    const bar = find("bar");
    bar.querySelector(".win").style.height = `${win / 10}%`;
    bar.querySelector(".draw").style.height = `${draw / 10}%`;
    bar.setAttribute(
      "aria-label",
      wdl
        ? `White wins ${win / 10} %, draws ${draw / 10} %, loses ${loss / 10} %`
        : "No evaluation",
    );
    bar.title = bar.getAttribute("aria-label");
  }

  say(text) {
    find("said").textContent = text;
  }
}
