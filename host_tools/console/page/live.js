// The stream of events over WebSocket: it comes back by itself, resumes after the last number heard, and tells
// when what the page shows may be old.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const SILENCE_MS = 8_000; // a quiet line is asked whether it is still there
const OPENING_MS = 5_000;

/** Follow the events. `onEvent(event)`, `onState("connecting" | "live" | "stale")`, `onRefused(code)` with the close
 * code (HTTP's and 4000), `probe()` rejects when the service does not answer. */
export class Live {
  constructor({ onEvent, onState, onRefused, probe }) {
    this.onEvent = onEvent;
    this.onState = onState;
    this.onRefused = onRefused;
    this.probe = probe;
    this.after = 0;
    this.wait = FIRST_WAIT_MS;
    this.socket = null;
    this.timer = null;
    this.stopped = true;
    window.addEventListener("online", () => this.retryNow());
    window.addEventListener("offline", () => this.drop());
  }

  /** Begin after the event of that number. */
  start(after) {
    this.after = after;
    this.stopped = false;
    this.onState("connecting");
    this.connect();
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.close();
  }

  retryNow() {
    if (this.stopped || this.socket) return;
    clearTimeout(this.timer);
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/events?after=${this.after}`);
    this.socket = socket;
    socket.onopen = () => this.opened(socket);
    socket.onmessage = (message) => socket === this.socket && this.heard(message.data);
    socket.onclose = (closing) => socket === this.socket && this.lost(closing.code);
    this.watch(() => this.drop(), OPENING_MS);
  }

  opened(socket) {
    if (socket !== this.socket) return;
    this.onState("live");
    this.listen();
  }

  heard(text) {
    const event = JSON.parse(text);
    if (Number.isInteger(event.sequence)) this.after = Math.max(this.after, event.sequence);
    this.wait = FIRST_WAIT_MS;
    this.listen();
    this.onEvent(event);
  }

  listen() {
    this.watch(() => this.ask(), SILENCE_MS);
  }

  async ask() {
    const asked = this.socket;
    try {
      await this.probe();
      if (asked !== this.socket) return;
      this.wait = FIRST_WAIT_MS;
      this.listen();
    } catch {
      if (asked === this.socket) this.drop();
    }
  }

  drop() {
    if (!this.socket) return;
    this.close();
    this.lost(0);
  }

  close() {
    const socket = this.socket;
    this.socket = null;
    if (socket) socket.close();
  }

  lost(code) {
    this.socket = null;
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.onState("stale");
    if (code >= 4400) this.onRefused(code);
    if (this.stopped) return;
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  watch(then, afterMs) {
    clearTimeout(this.timer);
    this.timer = setTimeout(then, afterMs);
  }
}
