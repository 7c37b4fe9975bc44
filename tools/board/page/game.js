/* A game with its variations: a tree of moves. The rules are the server's. */

export class Game {
  /* `start` is a FEN, or null for the initial position. */
  constructor(start = null, tags = {}) {
    this.start = start;
    this.tags = tags;
    this.root = { parent: null, children: [], ply: 0 };
    this.at = this.root;
  }

  /* Plays a move from the current node; an existing one is followed. */
  play({ uci, san }) {
    let next = this.at.children.find((node) => node.uci === uci);
    if (!next) {
      next = { uci, san, parent: this.at, children: [], ply: this.at.ply + 1 };
      this.at.children.push(next);
    }
    this.at = next;
    return next;
  }

  /* The nodes from the first move to `node`. */
  path(node = this.at) {
    const nodes = [];
    for (let at = node; at.parent; at = at.parent) nodes.unshift(at);
    return nodes;
  }

  /* The game up to `node`, as the protocol has it. */
  line(node = this.at) {
    return { start: this.start, moves: this.path(node).map(({ uci }) => uci) };
  }

  /* The last node of the line that goes through `node`. */
  end(node = this.root) {
    let at = node;
    while (at.children.length) at = at.children[0];
    return at;
  }

  /* The nodes of the main line, the root first. */
  main() {
    return [this.root, ...this.path(this.end())];
  }

  go(step) {
    if (step === "first") this.at = this.root;
    if (step === "last") this.at = this.end(this.at);
    if (step === "back" && this.at.parent) this.at = this.at.parent;
    if (step === "on" && this.at.children.length) this.at = this.at.children[0];
  }

  /* The game for `write` and `judge`, with its variations and what is known of the moves. */
  record() {
    const branch = ({ uci, nags, comments, score, depth, clock }) => ({
      uci,
      nags,
      comments,
      score,
      depth,
      clock: clock === undefined ? undefined : Math.max(0, Math.round(clock)),
    });
    const line = (from) => {
      const moves = [];
      for (let at = from; at.children.length; at = at.children[0]) {
        const [next, ...others] = at.children;
        moves.push({
          ...branch(next),
          variations: others.map((other) => [branch(other), ...line(other)]),
        });
      }
      return moves;
    };
    return { start: this.start, tags: this.tags, line: line(this.root) };
  }

  /* A game as the server has read it. */
  static loaded({ start, tags, line }) {
    const game = new Game(start, Object.fromEntries(tags));
    const add = (parent, steps) => {
      let at = parent;
      for (const { uci, san, nags, comments, variations = [] } of steps) {
        const node = { uci, san, parent: at, children: [], ply: at.ply + 1, nags, comments };
        at.children.push(node);
        for (const other of variations) add(at, other);
        at = node;
      }
    };
    add(game.root, line);
    return game;
  }
}

/* Saves a text as a file. */
export function save(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
