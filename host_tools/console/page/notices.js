// Short words about what just happened; they are read out, and refusals stay until they are taken away.

import { h } from "./dom.js";
import { t } from "./texts.js";

const GOES_AFTER_MS = 6_000;

const board = h("div", { class: "notices", role: "status", "aria-live": "polite" });

/** The place for notices; it is in the page once. */
export const noticeBoard = board;

/** Say that something worked. */
export function tell(text) {
  const notice = show(text, "good");
  setTimeout(() => notice.remove(), GOES_AFTER_MS);
}

/** Say why something did not work. */
export function complain(error) {
  show(error.message, "bad");
}

function show(text, kind) {
  const notice = h("div", { class: `notice ${kind}` }, h("span", {}, text), closer(() => notice.remove()));
  board.append(notice);
  while (board.children.length > 4) board.firstChild.remove();
  return notice;
}

const closer = (close) => h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: close }, "×");

/** Do something and say how it went; answers whether it worked. */
export async function attempt(deed, done) {
  try {
    const answer = await deed();
    if (done) tell(typeof done === "function" ? done(answer) : done);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}
