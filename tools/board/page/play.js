/* Play: a game against Heddle. */

import { drawMoves, firstPly } from "./draw.js";
import { Game, save } from "./game.js";

const find = (id) => document.getElementById(id);
/* Milliseconds between two looks at the clocks. */
const TICK = 100;
const SECOND = 1000;

const shown = (milliseconds) => {
  const tenths = Math.max(0, Math.ceil(milliseconds / 100));
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor(tenths / 10) % 60];
  const rest = milliseconds < 20 * SECOND ? `.${tenths % 10}` : "";
  return `${minutes}:${String(seconds).padStart(2, "0")}${rest}`;
};

export class Play {
  spaceDoes = "lets Heddle move";

  constructor(app) {
    this.app = app;
    this.game = new Game();
    this.side = "white";
    this.clock = null;
    this.over = "Choose how to play and press New game, or just move.";
    this.thinking = null;
    find("new-game").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin();
    });
    find("clock").addEventListener(
      "change",
      () => (find("free").hidden = find("clock").value !== "free"),
    );
    find("elo").addEventListener("input", () => (find("elo-shown").value = find("elo").value));
    find("limited").addEventListener(
      "change",
      () => (find("elo-label").hidden = !find("limited").checked),
    );
    find("take-back").addEventListener("click", () => this.takeBack());
    find("resign").addEventListener(
      "click",
      () => this.isOn() && this.end(this.side === "white" ? "0-1" : "1-0", "you resigned"),
    );
    find("save").addEventListener("click", () => this.save());
    find("to-analysis").addEventListener("click", () => this.app.views.analyse.take(this.game));
  }

  greet({ elo: [least, most] }) {
    Object.assign(find("elo"), { min: least, max: most });
    if (!this.isBegun) this.fresh();
  }

  isOn() {
    return this.isBegun && !this.over;
  }

  /* A new game with the settings of the form. */
  fresh() {
    const time = find("clock").value;
    const [minutes, increment] = [Number(find("minutes").value), Number(find("increment").value)];
    const [base, more] = time === "free" ? [minutes * 60, increment] : time.split("+").map(Number);
    this.increment = time ? more * SECOND : 0;
    this.clock = time ? { white: base * SECOND, black: base * SECOND } : null;
    const side = find("side").value;
    this.side = side === "random" ? ["white", "black"][Math.floor(Math.random() * 2)] : side;
    let start = find("start").value.trim() || null;
    if (find("chess960").checked) start = `chess960 ${Math.floor(Math.random() * 960)}`;
    const engine = find("limited").checked ? `Heddle (${find("elo").value})` : "Heddle";
    const [white, black] = this.side === "white" ? ["You", engine] : [engine, "You"];
    const date = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
    this.game = new Game(start, {
      Event: "Game on Heddle's board",
      Date: date,
      White: white,
      Black: black,
    });
    this.settings = { elo: find("limited").checked ? Number(find("elo").value) : null };
    this.turnStart = null;
  }

  async begin() {
    this.stop();
    const before = this.game;
    this.fresh();
    try {
      const { fen, white } = await this.app.at(this.game);
      this.game.start = this.game.start ? fen : null;
      this.startsWhite = white;
    } catch (error) {
      this.game = before;
      return this.app.complain(error.message);
    }
    this.over = null;
    this.isBegun = true;
    this.app.link.tell("forget");
    this.app.board.turnTo(this.side);
    return this.turn();
  }

  /* The side to move at the end of the game. */
  mover() {
    const first = firstPly(this.game.start);
    return (first + this.game.end().ply) % 2 ? "black" : "white";
  }

  enter() {
    this.draw();
    clearInterval(this.ticking);
    this.ticking = setInterval(() => this.tick(), TICK);
    if (this.isOn() && this.mover() !== this.side && this.thinking === null) this.think();
  }

  leave() {
    clearInterval(this.ticking);
    if (this.thinking !== null) this.stop();
  }

  async draw() {
    const isLast = this.game.at === this.game.end();
    const color = isLast && !(this.isBegun && this.over) ? this.side : "none";
    drawMoves(find("play-moves"), this.game, (node) => this.go(node));
    for (const id of ["take-back", "resign"])
      find(id).disabled = !this.isBegun || (id === "resign" && Boolean(this.over));
    this.drawClocks();
    this.app.board.chances(this.game.at.wdl);
    await this.app.show(this.game, color).catch((error) => this.app.complain(error.message));
    /* Last, so that whoever reads it can move. */
    find("outcome").textContent =
      this.over ?? (this.thinking === null ? "Your move." : "Heddle is thinking…");
  }

  drawClocks() {
    const bottom = this.app.board.isFlipped() ? "black" : "white";
    const top = bottom === "white" ? "black" : "white";
    for (const [place, color] of [
      ["bottom", bottom],
      ["top", top],
    ]) {
      const clock = find(`clock-${place}`);
      const name = document.createElement("small");
      name.textContent = this.game.tags[color === "white" ? "White" : "Black"] ?? "";
      clock.replaceChildren(name, this.clock ? shown(this.left(color)) : "");
      clock.classList.toggle("runs", this.isOn() && this.mover() === color);
    }
  }

  /* What is left on a clock now. */
  left(color) {
    const isRunning = this.isOn() && this.turnStart !== null && this.mover() === color;
    return this.clock[color] - (isRunning ? performance.now() - this.turnStart : 0);
  }

  tick() {
    if (!this.clock || !this.isOn()) return;
    const mover = this.mover();
    if (this.left(mover) > 0) return void this.drawClocks();
    this.clock[mover] = 0;
    this.end(
      mover === "white" ? "0-1" : "1-0",
      `${mover === this.side ? "your" : "Heddle's"} time is up`,
    );
  }

  /* Ends the turn of the side that has just moved, which took `spent` milliseconds. */
  punch(node, color, spent) {
    if (this.clock && this.turnStart !== null) {
      this.clock[color] += this.increment - spent;
      node.clock = this.clock[color];
    }
    this.turnStart = performance.now();
  }

  async move({ word }) {
    if (this.isBegun ? this.over : false) return this.draw();
    if (this.thinking !== null || this.game.at !== this.game.end()) return this.draw();
    if (!this.isBegun) await this.begin();
    if (this.mover() !== this.side) return undefined;
    const spent = this.turnStart === null ? 0 : performance.now() - this.turnStart;
    const node = await this.app.play(this.game, word);
    if (!node) return undefined;
    this.punch(node, this.side, spent);
    return this.turn();
  }

  /* The next turn: the end of the game, Heddle's move, or the reader's. */
  async turn() {
    this.game.at = this.game.end();
    const { over } = await this.app.at(this.game);
    if (over) return this.end(over.result, over.reason);
    if (this.mover() === this.side) return this.draw();
    return this.think();
  }

  think(take = false) {
    const { game } = this;
    const clock = this.clock
      ? ["white", "black"].map((color) => Math.max(1, Math.round(this.clock[color])))
      : null;
    const size = { take, threads: this.app.hello.threads, hash: this.app.hello.hash };
    const body = {
      game: game.line(),
      elo: this.settings.elo,
      clock,
      increment: this.increment,
      size,
    };
    let last = null;
    const id = this.app.link.stream("play", body, async (reply) => {
      if (this.thinking !== id) return;
      if (reply.type === "info") [last] = reply.lines;
      if (reply.type === "error") {
        this.thinking = null;
        this.draw();
        this.app.complain(`${reply.message}; press space to let Heddle move here.`);
        this.isRefused = reply.code === "busy";
      }
      if (reply.type !== "done") return;
      this.thinking = null;
      if (reply.reason !== "complete")
        return void this.app.complain("Another tab uses Heddle now; press space to go on here.");
      const color = this.mover();
      const node = await this.app.play(game, reply.best.uci);
      if (!node) return;
      if (last) Object.assign(node, { score: last.score, depth: last.depth, wdl: last.wdl });
      this.punch(node, color, reply.time);
      this.turn();
    });
    this.thinking = id;
    return this.draw();
  }

  stop() {
    if (this.thinking !== null) this.app.link.tell("stop");
    this.thinking = null;
    this.app.board.forget();
  }

  end(result, reason) {
    this.stop();
    this.game.tags.Result = result;
    this.over = `${result}: ${reason}.`;
    this.app.board.say(this.over);
    return this.draw();
  }

  /* Takes back the reader's last move, and what Heddle answered. */
  takeBack() {
    this.stop();
    let node = this.game.end();
    const isMine = ({ ply }) =>
      ((firstPly(this.game.start) + ply) % 2 ? "white" : "black") === this.side;
    while (node.parent && !isMine(node)) node = node.parent;
    if (!node.parent) return this.draw();
    node.parent.children = [];
    this.game.at = node.parent;
    this.over = null;
    delete this.game.tags.Result;
    this.turnStart = performance.now();
    return this.draw();
  }

  go(node) {
    this.game.at = node;
    this.draw();
  }

  step(step) {
    this.game.go(step);
    this.draw();
  }

  flipped() {
    this.drawClocks();
  }

  async space() {
    if (this.thinking !== null || (this.isBegun && this.over)) return;
    if (!this.isBegun) await this.begin();
    this.game.at = this.game.end();
    if (this.mover() === this.side) {
      this.side = this.side === "white" ? "black" : "white";
      const { White, Black } = this.game.tags;
      Object.assign(this.game.tags, { White: Black, Black: White });
    }
    if (this.thinking === null) this.think(true);
  }

  async save() {
    try {
      const { text } = await this.app.link.ask("write", this.game.record());
      save(text, "heddle-game.pgn");
    } catch (error) {
      this.app.complain(error.message);
    }
  }
}
