/* The frame of the pages: the connection, the board, keys, and which view is shown. */

import { Analyse } from "./analyse.js";
import { Board, spoken } from "./board.js";
import { Play } from "./play.js";
import { Link } from "./socket.js";
import { Threads } from "./threads.js";

const find = (id) => document.getElementById(id);
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

/* What the views share. */
class App {
  constructor() {
    this.hello = null;
    this.board = new Board(
      (uci) => this.view?.move({ word: uci }),
      (word) => this.view?.move({ word }),
    );
    this.link = new Link(
      (text, isBad) => this.state(text, isBad),
      (hello) => this.greet(hello),
    );
    this.views = { play: new Play(this), analyse: new Analyse(this), threads: new Threads(this) };
  }

  state(text, isBad) {
    find("status").textContent = text;
    find("status").classList.toggle("bad", isBad);
  }

  greet(hello) {
    const isFirst = !this.hello;
    this.hello = hello;
    for (const view of Object.values(this.views)) view.greet?.(hello);
    if (isFirst) this.route();
    else this.view?.enter();
  }

  /* Shows the view that the address names. */
  route() {
    const name = location.hash.slice(1) in this.views ? location.hash.slice(1) : "play";
    const view = this.views[name];
    if (this.view !== view) this.view?.leave();
    for (const key of Object.keys(this.views)) {
      find(key).hidden = key !== name;
      const link = document.querySelector(`[data-view=${key}]`);
      if (key === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `Heddle: ${name}`;
    document.querySelector("main").classList.toggle("wide", name === "threads");
    for (const clock of document.querySelectorAll(".clock")) clock.hidden = name !== "play";
    find("space-does").textContent = view.spaceDoes;
    this.board.arrows([]);
    this.board.chances(null);
    this.view = view;
    view.enter();
  }

  /* Asks for the position at a node of a game, once. */
  async at(game, node = game.at) {
    node.known ??= this.link.ask("position", { game: game.line(node) }).catch((error) => {
      node.known = undefined;
      throw error;
    });
    return node.known;
  }

  /* Plays a word from the current node of a game; says what is refused. */
  async play(game, word) {
    const from = game.at;
    try {
      const at = await this.link.ask("position", { game: game.line(), word });
      game.at = from;
      const node = game.play(at.played);
      node.known = Promise.resolve(at);
      this.board.say(`${at.white ? "Black" : "White"}: ${spoken(at.played.san)}`);
      return node;
    } catch (error) {
      this.complain(error.message);
      await this.show(game);
      return null;
    }
  }

  /* Shows the current node of a game; `color` may move. */
  async show(game, color = "both") {
    const node = game.at;
    const at = await this.at(game, node);
    if (game.at === node) this.board.show(at, node.uci, color);
    return at;
  }

  complain(text) {
    this.board.say(text);
    this.state(text, true);
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.link.isOpen && this.state(this.hello.program, false), 4000);
  }

  key(event) {
    const isTyping = event.target.closest(
      "input:not([type=checkbox]), textarea, select, [role=dialog]",
    );
    if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === " " && event.target.closest("button, summary, a, [type=checkbox]")) return;
    if (KEYS[event.key]) this.view?.step(KEYS[event.key]);
    else if (event.key === "f") this.flip();
    else if (event.key === " ") this.view?.space();
    else return;
    event.preventDefault();
  }

  flip() {
    this.board.flip();
    this.view?.flipped?.();
  }
}

const app = new App();
addEventListener("hashchange", () => app.hello && app.route());
addEventListener("keydown", (event) => app.key(event));
find("steps").addEventListener("click", ({ target }) => {
  const { step } = target.closest("[data-step]")?.dataset ?? {};
  if (step === "flip") app.flip();
  else if (step) app.view?.step(step);
});
