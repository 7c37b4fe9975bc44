
/* Lets a reader step through one game. */
class Stepper {
  constructor(section) {
    this.section = section;
    this.steps = JSON.parse(section.querySelector(".data").textContent);
    this.at = 0;
    this.flipped = false;
    this.board = section.querySelector(".stage .board");
    this.curve = section.querySelector(".curve svg");
    for (const figure of section.querySelectorAll("figure[data-ply]")) this.diagram(figure);
    section.addEventListener("click", (event) => this.click(event));
    this.at = -1;
    this.show(this.named() ?? 0);
    addEventListener("hashchange", () => {
      const ply = this.named();
      if (ply === undefined) return;
      this.show(ply);
      this.section.scrollIntoView();
    });
  }

  /* A page may be opened at a position: #game-1-30 is after 30 plies of the first game. */
  named() {
    const [, game, ply] = location.hash.match(/^#(game-\d+)-(\d+)$/) ?? [];
    return game === this.section.id ? Number(ply) : undefined;
  }

  /* A decisive moment: what was played and what was better. */
  diagram(figure) {
    const ply = Number(figure.dataset.ply);
    const [before, after] = [this.steps[ply], this.steps[ply + 1]];
    const arrows = [[after.played[0], "bad"]];
    if (before.best) arrows.push([before.best[0][0], "good"]);
    drawBoard(figure.querySelector("svg"), before.fen, { arrows, flipped: this.blackMoves(ply) });
    figure.querySelector(".played").textContent = after.played[1];
  }

  blackMoves(ply) {
    return this.steps[ply + 1].played[1].includes("...");
  }

  click(event) {
    const target = event.target.closest("[data-step], [data-ply], .curve svg, .copy, .reply");
    if (!target) return;
    if (target.matches(".copy")) return this.copy();
    if (target.matches(".reply")) return this.reply(target);
    const { step, ply } = target.dataset;
    if (step) this.go(step);
    else if (ply !== undefined) {
      this.show(Number(ply));
      if (target.matches("figure")) this.section.scrollIntoView({ behavior: "smooth" });
    } else {
      const box = target.getBoundingClientRect();
      const last = this.curve.viewBox.baseVal.width;
      this.show(Math.round((event.clientX - box.left) / box.width * last));
    }
  }

  go(step) {
    if (step === "flip") this.flipped = !this.flipped;
    const to = { first: 0, back: this.at - 1, on: this.at + 1, last: this.steps.length - 1 };
    this.show(to[step] ?? this.at);
  }

  /* The address becomes that of the position, where a page may have one. */
  name() {
    try {
      history.replaceState(null, "", `#${this.section.id}-${this.at}`);
    } catch { /* a page within another */ }
  }

  /* The position as text. A page that was opened from a file may not use the clipboard. */
  copy() {
    const { fen } = this.steps[this.at];
    const shown = () => prompt("FEN", fen);
    if (navigator.clipboard) navigator.clipboard.writeText(fen).catch(shown);
    else shown();
  }

  /* The moves of a line as buttons: each shows the board after it. */
  line(place, title, moves) {
    place.replaceChildren();
    if (!moves) return;
    place.append(title);
    for (const [squares, written, pieces] of moves) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "reply", textContent: written });
      Object.assign(button.dataset, { squares, pieces });
      place.append(" ", button);
    }
  }

  reply(button) {
    const { squares, pieces } = button.dataset;
    drawBoard(this.board, pieces, { flipped: this.flipped, marked: squares });
    for (const old of this.section.querySelectorAll(".reply.current")) old.classList.remove("current");
    button.classList.add("current");
  }

  show(ply) {
    const isFirst = this.at < 0;
    this.at = Math.max(0, Math.min(this.steps.length - 1, ply));
    const { fen, played, note, score, best } = this.steps[this.at];
    const find = (name) => this.section.querySelector(name);
    const arrows = best ? [[best[0][0], "good"]] : [];
    drawBoard(this.board, fen, { flipped: this.flipped, marked: played?.[0], arrows });
    if (!isFirst) this.name();
    const [text, chances, depth] = score ?? ["", 50, 0];
    find(".score").textContent = score ? `${text}  ·  White’s score ${chances} %` + (depth ? `  ·  depth ${depth}` : "") : "";
    find(".note").textContent = played ? `${played[1]}${note ? "  " + note : ""}` : "";
    this.line(find(".best"), "Best:", best);
    /* After a move that has a verdict, what was better. */
    this.line(find(".better"), "Better was:", note && this.steps[this.at - 1].best);
    const bar = find(".bar");
    bar.classList.toggle("flipped", this.flipped);
    bar.firstElementChild.style.height = `${chances}%`;
    for (const now of this.section.querySelectorAll(".curve .now")) {
      now.setAttribute("d", `M${Math.min(this.at, this.curve.viewBox.baseVal.width)} 0V100`);
    }
    for (const old of this.section.querySelectorAll(".moves .current")) old.classList.remove("current");
    const move = find(`.moves [data-ply="${this.at}"]`);
    const list = find(".moves");
    move?.classList.add("current");
    list.scrollTop = move ? move.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  }
}

/* Links to the games, if there are several. */
function listGames(sections) {
  if (sections.length < 2) return;
  const list = document.createElement("ol");
  for (const section of sections) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${section.id}`;
    link.textContent = section.querySelector("h2").textContent;
    item.append(link);
    list.append(item);
  }
  document.querySelector(".index").append(list);
}

addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll(".game")];
  listGames(sections);
  const steppers = sections.map((section) => new Stepper(section));
  /* The address may name a game that the list has only now. */
  if (sections.length > 1 && location.hash) document.querySelector(location.hash.replace(/(game-\d+)-\d+$/, "$1"))?.scrollIntoView();
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: "back", ArrowRight: "on" }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    /* The first game of which enough can be seen. */
    const seen = ({ section }) => section.getBoundingClientRect().bottom > innerHeight / 3;
    (steppers.find(seen) ?? steppers.at(-1))?.go(step);
    event.preventDefault();
  });
});
