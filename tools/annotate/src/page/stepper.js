
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
    /* A page may be opened at a position: #game-1-30 is after 30 plies of the first game. */
    const [, game, ply] = location.hash.match(/^#(game-\d+)-(\d+)$/) ?? [];
    this.show(game === section.id ? Number(ply) : 0);
  }

  /* A decisive moment: what was played and what was better. */
  diagram(figure) {
    const ply = Number(figure.dataset.ply);
    const [before, after] = [this.steps[ply], this.steps[ply + 1]];
    const arrows = [[after.played[0], "bad"]];
    if (before.best) arrows.push([before.best[0], "good"]);
    drawBoard(figure.querySelector("svg"), before.pieces, { arrows, flipped: this.blackMoves(ply) });
    figure.querySelector(".played").textContent = after.played[1];
  }

  blackMoves(ply) {
    return this.steps[ply + 1].played[1].includes("...");
  }

  click(event) {
    const target = event.target.closest("[data-step], [data-ply], .curve svg");
    if (!target) return;
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

  show(ply) {
    this.at = Math.max(0, Math.min(this.steps.length - 1, ply));
    const { pieces, played, note, score, best } = this.steps[this.at];
    const find = (name) => this.section.querySelector(name);
    const arrows = best ? [[best[0], "good"]] : [];
    drawBoard(this.board, pieces, { flipped: this.flipped, marked: played?.[0], arrows });
    const [text, chances, depth] = score ?? ["", 50, 0];
    find(".score").textContent = score ? `${text}  ·  White’s score ${chances} %` + (depth ? `  ·  depth ${depth}` : "") : "";
    find(".note").textContent = played ? `${played[1]}${note ? "  " + note : ""}` : "";
    find(".best").textContent = best ? `Best: ${best[1]}` : "";
    const bar = find(".bar");
    bar.classList.toggle("flipped", this.flipped);
    bar.firstElementChild.style.height = `${chances}%`;
    const now = find(".curve .now");
    if (now) now.setAttribute("d", `M${Math.min(this.at, this.curve.viewBox.baseVal.width)} 0V100`);
    for (const old of this.section.querySelectorAll(".moves .current")) old.classList.remove("current");
    const move = find(`.moves [data-ply="${this.at}"]`);
    const list = find(".moves");
    move?.classList.add("current");
    list.scrollTop = move ? move.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  }
}

addEventListener("DOMContentLoaded", () => {
  const steppers = [...document.querySelectorAll(".game")].map((section) => new Stepper(section));
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: "back", ArrowRight: "on" }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    /* The first game of which enough can be seen. */
    const seen = ({ section }) => section.getBoundingClientRect().bottom > innerHeight / 3;
    (steppers.find(seen) ?? steppers.at(-1))?.go(step);
    event.preventDefault();
  });
});
