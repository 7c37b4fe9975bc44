/* The connection to the server: requests with numbers, and the answers to them. */

/* The version of the protocol that these pages speak. */
const PROTOCOL = 1;
/* Milliseconds before the connection is tried again. */
const RETRY = 1000;

export class Link {
  /* `onChange(text, isBad)` hears of the state; `onHello(hello)` comes with each connection. */
  constructor(onChange, onHello) {
    this.onChange = onChange;
    this.onHello = onHello;
    this.last = 0;
    this.waiting = new Map();
    this.reports = new Map();
    this.open();
  }

  open() {
    this.socket = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws")));
    this.socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.socket.onclose = () => {
      this.isOpen = false;
      for (const [id, { heard }] of this.waiting)
        heard({ type: "error", id, code: "lost", message: "The connection is lost." });
      this.waiting.clear();
      this.onChange("No connection. Is Heddle still running, or are too many tabs open?", true);
      setTimeout(() => this.open(), RETRY);
    };
  }

  hear(reply) {
    if (reply.type === "hello") {
      if (reply.protocol !== PROTOCOL)
        return this.onChange("Another version is running: reload this page.", true);
      this.isOpen = true;
      this.onChange(reply.program, false);
      return this.onHello(reply);
    }
    if (reply.type === "info" || reply.type === "threads") return this.keep(reply);
    this.draw(reply.id);
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return undefined;
    const isLast = !waiting.streams || reply.type === "done" || reply.type === "error";
    if (isLast) this.waiting.delete(reply.id);
    return waiting.heard(reply);
  }

  /* Keeps a report until the next frame: those that come faster than they can be drawn replace
     each other, so that a slow page does not fall behind. */
  keep(reply) {
    if (!this.reports.size) requestAnimationFrame(() => this.draw());
    this.reports.set(reply.id, reply);
  }

  /* Hands on the last report of request `id`, or of all. */
  draw(id = null) {
    for (const [from, reply] of [...this.reports]) {
      if (id !== null && from !== id) continue;
      this.reports.delete(from);
      this.waiting.get(from)?.heard(reply);
    }
  }

  /* Sends a request whose answers, up to `done` or `error`, go to `heard`. */
  stream(type, body, heard) {
    const id = ++this.last;
    this.waiting.set(id, { heard, streams: true });
    this.send({ id, type, ...body });
    return id;
  }

  /* Sends a request with one answer; throws what is refused. */
  ask(type, body) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const heard = (reply) =>
        reply.type === "error" ? reject(new Error(reply.message)) : resolve(reply);
      this.waiting.set(id, { heard, streams: false });
      this.send({ id, type, ...body });
    });
  }

  /* Sends a request that has no answer. */
  tell(type, body = {}) {
    this.send({ id: ++this.last, type, ...body });
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) return this.socket.send(JSON.stringify(message));
    this.waiting
      .get(message.id)
      ?.heard({ type: "error", id: message.id, code: "lost", message: "There is no connection." });
    return this.waiting.delete(message.id);
  }
}
