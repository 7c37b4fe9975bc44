/* Analyse: games and positions, with lines, arrows, a graph, and a judgement. */

import { drawGraph, drawMoves, drawTable, element } from "./draw.js";
import { Game, save } from "./game.js";

const find = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en").replaceAll(",", " ");
const BRUSHES = ["green", "blue", "pale", "pale", "pale"];

export class Analyse {
  spaceDoes = "starts and stops the analysis";

  constructor(app) {
    this.app = app;
    this.game = new Game();
    this.search = null;
    this.isOn = false;
    this.text = "";
    find("go").addEventListener("click", () => this.space());
    for (const id of ["lines", "analyse-threads", "analyse-hash"]) {
      find(id).addEventListener("change", () => this.isOn && this.start());
    }
    find("read").addEventListener("click", () => this.read(find("text").value));
    find("games").addEventListener("change", () => this.pick(Number(find("games").value)));
    find("file").addEventListener("change", async () => {
      const [file] = find("file").files;
      if (file) this.read(await file.text());
    });
    find("judge").addEventListener("click", () => this.judge());
    find("save-analysis").addEventListener("click", () => this.save());
    this.listenToDrops();
  }

  listenToDrops() {
    const text = find("text");
    addEventListener("dragover", (event) => {
      event.preventDefault();
      text.classList.add("over");
    });
    addEventListener("dragleave", () => text.classList.remove("over"));
    addEventListener("drop", async (event) => {
      event.preventDefault();
      text.classList.remove("over");
      const { files } = event.dataTransfer;
      const dropped = files.length ? await files[0].text() : event.dataTransfer.getData("text");
      if (!dropped) return;
      location.hash = "#analyse";
      this.read(dropped);
    });
  }

  greet({ threads, max_threads: mostThreads, hash, max_hash: mostHash }) {
    Object.assign(find("analyse-threads"), { max: mostThreads });
    Object.assign(find("analyse-hash"), { max: mostHash });
    find("analyse-threads").value ||= threads;
    find("analyse-hash").value ||= hash;
  }

  enter() {
    this.draw();
    if (this.isOn) this.start();
  }

  leave() {
    this.stop();
  }

  /* Takes over a game that was played. */
  take(game) {
    const copy = new Game(game.start, { ...game.tags });
    for (const { uci, san, score, depth, wdl, clock } of game.main().slice(1)) {
      Object.assign(copy.play({ uci, san }), { score, depth, wdl, clock });
    }
    copy.at = copy.end();
    this.game = copy;
    this.verdicts = null;
    find("sides").hidden = true;
    location.hash = "#analyse";
  }

  async read(text) {
    this.text = text;
    try {
      const { games, more } = await this.app.link.ask("read", { text });
      const list = find("games");
      list.hidden = games.length < 2;
      list.replaceChildren(
        ...games.map(({ name, about }, at) => {
          const option = element("option", "", `${at + 1}. ${name}${about ? ` (${about})` : ""}`);
          option.value = at + 1;
          return option;
        }),
      );
      if (more) this.app.complain("The list has the first games only.");
      await this.pick(1);
    } catch (error) {
      this.app.complain(error.message);
    }
  }

  async pick(game) {
    try {
      this.game = Game.loaded(await this.app.link.ask("read", { text: this.text, game }));
      this.verdicts = null;
      find("sides").hidden = true;
      this.go(this.game.root);
    } catch (error) {
      this.app.complain(error.message);
    }
  }

  draw() {
    const { at } = this.game;
    find("go").textContent = this.isOn ? "Stop" : "Analyse";
    drawMoves(find("analyse-moves"), this.game, (node) => this.go(node));
    drawGraph(find("graph"), this.game, (node) => this.go(node));
    find("verdict").textContent = at.verdict ?? "";
    this.app.board.chances(at.wdl);
    this.app.board.arrows([]);
    if (!this.isOn) {
      find("found").replaceChildren();
      find("work").textContent = at.score ? `${at.score} at depth ${at.depth}` : "";
    }
    return this.app
      .show(this.game)
      .then(({ over }) => {
        if (over && this.game.at === at)
          find("verdict").textContent = `${over.result}: ${over.reason}`;
      })
      .catch((error) => this.app.complain(error.message));
  }

  go(node) {
    this.game.at = node;
    this.draw();
    if (this.isOn) this.start();
  }

  step(step) {
    this.game.go(step);
    this.go(this.game.at);
  }

  async move({ word }) {
    const node = await this.app.play(this.game, word);
    if (node) this.go(node);
  }

  space() {
    this.isOn = !this.isOn;
    if (this.isOn) this.start(true);
    else this.stop();
    this.draw();
  }

  size(take) {
    const value = (id) => Math.max(1, Number(find(id).value) || 1);
    return { take, threads: value("analyse-threads"), hash: value("analyse-hash") };
  }

  stop() {
    if (this.search !== null) this.app.link.tell("stop");
    this.search = null;
  }

  start(take = false) {
    const { game } = this;
    const node = game.at;
    const body = { game: game.line(), lines: Number(find("lines").value), size: this.size(take) };
    const id = this.app.link.stream("analyse", body, (reply) => {
      if (reply.type === "info") this.hear(node, reply, this.search === id);
      if (this.search !== id) return;
      if (reply.type === "done" && reply.reason === "taken")
        this.pause("Another tab uses Heddle now. Press space to take it back.");
      if (reply.type === "error") this.pause(reply.message);
    });
    this.search = id;
  }

  pause(text) {
    this.search = null;
    this.isOn = false;
    find("go").textContent = "Analyse";
    this.app.complain(text);
  }

  hear(node, { lines, nodes, time, hashfull }, isCurrent) {
    const [best] = lines;
    if (best) Object.assign(node, { score: best.score, depth: best.depth, wdl: best.wdl });
    if (!isCurrent || this.game.at !== node) return;
    const speed = time > 0 ? Math.round(nodes / time) : 0;
    const work = [`${number(nodes)} nodes`, `${number(speed)} k/s`, `table ${hashfull / 10} %`];
    const depth = best ? `depth ${best.depth}/${best.seldepth}` : "";
    find("work").textContent = best ? [depth, ...work].join(" · ") : "";
    find("found").replaceChildren(
      ...lines.map(({ score, text, moves: [uci] }) => {
        const row = element("li");
        const button = element("button", "", score);
        button.type = "button";
        button.setAttribute("aria-label", `${score}: play ${text.split(" ")[1] ?? text}`);
        button.addEventListener("click", () => this.move({ word: uci }));
        row.append(button, Object.assign(element("span", "", text), { title: text }));
        return row;
      }),
    );
    this.app.board.chances(best?.wdl);
    this.app.board.arrows(lines.map(({ moves: [uci] }, rank) => [uci, BRUSHES[rank]]).reverse());
    drawGraph(find("graph"), this.game, (to) => this.go(to));
  }

  judge() {
    this.isOn = false;
    const { game } = this;
    const nodes = game.main();
    if (nodes.length < 2) return this.app.complain("There are no moves to judge.");
    const body = { ...game.record(), size: this.size(true) };
    let count = 0;
    this.search = this.app.link.stream("judge", body, (reply) => {
      if (reply.type === "judged") {
        const { score, depth, wdl } = reply;
        Object.assign(nodes[reply.ply], { score, depth, wdl });
        count += 1;
        find("work").textContent = `Judging: ${count} of ${nodes.length} positions`;
        if (this.game === game) drawGraph(find("graph"), game, (to) => this.go(to));
      }
      if (reply.type === "report") this.report(game, nodes, reply);
      if (reply.type === "error") this.app.complain(reply.message);
      if (reply.type === "done") find("work").textContent = "";
    });
    return this.draw();
  }

  report(game, nodes, { sides, moves, opening, pgn }) {
    moves.forEach(({ glyph, text }, at) => Object.assign(nodes[at + 1], { glyph, verdict: text }));
    if (this.game !== game) return;
    this.annotated = { game, pgn };
    const row = (name, side) => [
      name,
      side.moves ? `${side.accuracy.toFixed(1)} %` : "–",
      side.loss.toFixed(0),
      ...side.glyphs.map(String),
      String(side.moves),
    ];
    find("sides").hidden = false;
    drawTable(
      find("sides"),
      [opening ?? "", "Accuracy", "Centipawns lost", "?!", "?", "??", "Moves"],
      [row("White", sides[0]), row("Black", sides[1])],
    );
    this.draw();
  }

  async save() {
    try {
      const isJudged = this.annotated?.game === this.game;
      const text = isJudged
        ? this.annotated.pgn
        : (await this.app.link.ask("write", this.game.record())).text;
      save(text, "heddle-analysis.pgn");
    } catch (error) {
      this.app.complain(error.message);
    }
  }
}
