/* Threads: what each worker of a search does, and how they vote. */

import { drawTable, element } from "./draw.js";
import { Game } from "./game.js";

const find = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en").replaceAll(",", " ");
/* The most threads of the slider; more would not fit on a screen. */
const MOST_THREADS = 32;
const HEADS = [
  "Worker",
  "Depth",
  "Searching",
  "Best",
  "Score",
  "Finished",
  "Nodes",
  "k nodes/s",
  "Hits on others",
];

export class Threads {
  spaceDoes = "starts and stops, or grants a turn in lockstep";

  constructor(app) {
    this.app = app;
    this.game = new Game();
    this.search = null;
    this.rows = [];
    find("start-threads").addEventListener("click", () =>
      this.search === null ? this.start(true) : this.stop(),
    );
    find("threads-number").addEventListener(
      "input",
      () => (find("threads-shown").value = find("threads-number").value),
    );
    find("threads-number").addEventListener(
      "change",
      () => this.search !== null && this.start(true),
    );
    find("lockstep").addEventListener("change", () => {
      this.drawPacing();
      if (this.search !== null) this.start(true);
    });
    find("step").addEventListener("click", () => this.step("on"));
    find("round").addEventListener("click", () => this.grant(Number(find("threads-number").value)));
    find("pace").addEventListener(
      "change",
      () => this.search !== null && this.app.link.tell("pace", { every: this.every() }),
    );
  }

  greet({ threads, max_threads: most }) {
    const slider = find("threads-number");
    slider.max = Math.min(most, MOST_THREADS);
    if (this.isGreeted) return;
    this.isGreeted = true;
    slider.value = Math.max(2, Math.min(threads, MOST_THREADS));
    find("threads-shown").value = slider.value;
  }

  enter() {
    const { game } = this.app.views.analyse;
    this.game = new Game(game.start);
    for (const node of game.path()) this.game.play(node);
    this.drawPacing();
    if (!this.rows.length) this.drawRows({ workers: [], time: 0 });
    this.app.show(this.game).catch((error) => this.app.complain(error.message));
  }

  leave() {
    this.stop();
  }

  drawPacing() {
    find("pacing").hidden = !find("lockstep").checked;
  }

  every() {
    return find("pace").value === "" ? null : Number(find("pace").value);
  }

  stop() {
    if (this.search !== null) this.app.link.tell("stop");
  }

  start(take = false) {
    const lockstep = find("lockstep").checked
      ? {
          quantum: Number(find("quantum").value) || 1,
          every: this.every(),
          misses: find("misses").checked,
        }
      : null;
    const threads = Number(find("threads-number").value);
    const body = {
      game: this.game.line(),
      depth: Number(find("threads-depth").value) || null,
      lockstep,
      size: { take, threads },
    };
    const id = this.app.link.stream("watch", body, (reply) => {
      if (this.search !== id) return;
      if (reply.type === "threads") this.hear(reply);
      if (reply.type === "error" || reply.type === "done") this.ended(reply);
    });
    this.search = id;
    this.last = null;
    this.isRunning = true;
    find("start-threads").textContent = "Stop";
  }

  ended(reply) {
    this.search = null;
    this.isRunning = false;
    find("start-threads").textContent = "Start";
    if (reply.type === "error") this.app.complain(reply.message);
    else if (reply.reason === "taken") this.app.complain("Another tab uses Heddle now.");
    if (reply.best && this.latest) this.drawVote(this.latest, reply.best.san);
  }

  hear(reply) {
    this.latest = reply;
    this.drawRows(reply);
    this.drawVote(reply, null);
    const { nodes, time, hashfull, line, turns } = reply;
    const speed = time > 0 ? ` · ${number(Math.round(nodes / time))} k nodes/s` : "";
    const rounds = turns ? ` · ${number(turns.rounds)} rounds` : "";
    find("threads-work").textContent =
      `${number(nodes)} nodes · ${(time / 1000).toFixed(1)} s${turns ? "" : speed}${rounds}`;
    Object.assign(find("filling"), { value: hashfull });
    find("filled").value = `${hashfull / 10} %`;
    find("threads-line").textContent = line ? `${line.score}  ${line.text}` : "";
    this.app.board.chances(line?.wdl);
    this.drawArrows(reply);
    this.drawMisses(turns?.misses);
  }

  /* An arrow for each root move that some worker searches now, and the winner of the vote. */
  async drawArrows({ workers, vote }) {
    const { legal } = await this.app.at(this.game);
    const uciOf = Object.fromEntries(Object.entries(legal).map(([uci, san]) => [san, uci]));
    const moves = new Set(workers.map(({ current }) => current).filter((san) => uciOf[san]));
    const arrows = [...moves]
      .filter((san) => san !== vote?.best)
      .map((san) => [uciOf[san], "pale"]);
    if (vote && uciOf[vote.best]) arrows.push([uciOf[vote.best], "green"]);
    this.app.board.arrows(arrows);
  }

  /* Rows are made once for each number of workers, and then only filled. */
  drawRows({ workers, time, vote, turns }) {
    if (this.rows.length !== workers.length || !workers.length) {
      drawTable(
        find("workers"),
        HEADS,
        workers.map((_, at) => [at ? `${at}` : "0 main", ...HEADS.slice(1).map(() => "")]),
      );
      this.rows = [...find("workers").querySelectorAll("tbody tr")];
      for (const { cells } of this.rows) {
        const track = element("span", "track");
        track.append(element("i"));
        cells[1].append(element("span", "depth"), track);
      }
    }
    const deepest = Math.max(1, ...workers.map(({ depth }) => depth ?? 0));
    const speeds = this.speeds(workers, time);
    workers.forEach((worker, at) => {
      const row = this.rows[at];
      const { depth, current, move_count: count, best, scored, nodes, hits, foreign } = worker;
      row.classList.toggle("winner", vote?.worker === at);
      row.classList.toggle("next", turns?.next === at && this.every() !== null);
      row.cells[1].firstElementChild.textContent = depth ?? "–";
      row.cells[1].querySelector("i").style.width = `${(100 * (depth ?? 0)) / deepest}%`;
      const share = hits ? ` (${Math.round((100 * foreign) / hits)} %)` : "";
      const texts = [
        current ? `${current} (${count})` : "–",
        best ?? "–",
        scored?.score ?? "–",
        scored?.depth ?? "–",
        number(nodes),
        turns ? "–" : number(speeds[at]),
        `${number(foreign)}${share}`,
      ];
      texts.forEach((text, cell) => (row.cells[cell + 2].textContent = text));
    });
  }

  /* Thousands of nodes a second of each worker since the last report. */
  speeds(workers, time) {
    const before = this.last;
    this.last = { time, nodes: workers.map(({ nodes }) => nodes) };
    const span = before ? time - before.time : time;
    return workers.map(({ nodes }, at) =>
      span > 0 ? Math.round((nodes - (before?.nodes[at] ?? 0)) / span) : 0,
    );
  }

  /* The weight behind each move, and who wins. */
  drawVote({ workers, vote }, played) {
    const place = find("vote");
    if (!vote) return place.replaceChildren();
    const weights = new Map();
    const voters = new Map();
    workers.forEach(({ best, scored, weight }) => {
      if (best === undefined || best === null || weight === null) return;
      weights.set(best, weight);
      voters.set(best, [...(voters.get(best) ?? []), scored.depth]);
    });
    const title = played
      ? `The vote fell for ${played}`
      : `The vote as it would fall now: ${vote.best}`;
    const proved = vote.weight === null ? [element("p", "", "A proved score decides.")] : [];
    const ballots = [...weights]
      .sort((a, b) => b[1] - a[1])
      .map(([move, weight]) => {
        const row = element("div", move === vote.best ? "ballot wins" : "ballot");
        const track = element("span", "track");
        const fill = element("i");
        fill.style.width = `${(100 * weight) / vote.of}%`;
        track.append(fill);
        row.append(
          element("b", "", move),
          track,
          element("small", "", `${weight} of ${vote.of} plies, ${voters.get(move).length} workers`),
        );
        return row;
      });
    return place.replaceChildren(element("h2", "", title), ...proved, ...ballots);
  }

  drawMisses(misses) {
    const table = find("miss-table");
    table.hidden = !misses;
    if (misses)
      drawTable(
        table,
        ["Shared memory", "Coherence misses"],
        Object.entries(misses).map(([name, count]) => [name, number(count)]),
      );
  }

  grant(turns) {
    if (!find("lockstep").checked) return;
    if (this.search === null) this.start(true);
    find("pace").value = "0";
    this.app.link.tell("step", { turns });
  }

  step(step) {
    if (step === "on") this.grant(1);
  }

  space() {
    if (find("lockstep").checked) this.grant(1);
    else if (this.search === null) this.start(true);
    else this.stop();
  }

  async move({ word }) {
    const node = await this.app.play(this.game, word);
    if (!node) return;
    this.app.show(this.game);
    if (this.search !== null) this.start(true);
  }
}
