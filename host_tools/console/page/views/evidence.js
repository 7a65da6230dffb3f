// Evidence: the frames that a reading rests on, with the marks of the device's reader and of the host's side by side.

import { path } from "../api.js";
import { serverNow } from "../clock.js";
import { show } from "../dialogs.js";
import { h } from "../dom.js";
import { t } from "../texts.js";

const READERS = ["device", "host"];
const LAMPS = [0, 1, 2, 3];
const COMING_MS = 2000; // a scene takes seconds over the line
const MOST_TRIES = 20;

/** Whether the dice of a round in that state were looked at. */
export const wasRead = (state) => ["held", "settled", "void", "referred"].includes(state);

/** The pictures of a round: the scene as both readers marked it, then each lamp's frame as it is. Those of a round
    that was just read may be on their way. */
export function drawEvidence(table, { id, state, changed_ms: changed }) {
  if (!wasRead(state)) return null;
  const place = h("div", {});
  const draw = (tries) => place.replaceChildren(...drawPictures(table, id, tries), h("button", { type: "button", class: "secondary again", onclick: () => draw(0) }, t("evidence.again")));
  draw(serverNow() - changed < MOST_TRIES * COMING_MS ? MOST_TRIES : 0);
  return place;
}

/** The frames of a round just read, as they come: one that is not there yet is asked for again for a while. */
export function drawComing(table, round) {
  return drawLamps(table, round, MOST_TRIES);
}

function drawLamps(table, round, tries) {
  return h("div", { class: "evidence-row" }, LAMPS.map((lamp) => drawNext(addressOf(table, round, lamp), t("evidence.lamp", { lamp: lamp + 1 }), tries)));
}

function drawNext(source, label, tries) {
  const figure = drawPicture(source, label, t(tries ? "evidence.coming" : "evidence.missing"));
  const again = () => figure.isConnected && figure.replaceWith(drawNext(source, label, tries - 1));
  if (tries) figure.querySelector("img").addEventListener("error", () => setTimeout(again, COMING_MS));
  return figure;
}

const addressOf = (table, round, lamp) => path("tables", table, "rounds", round, "evidence", `${lamp}.png`);

function drawPictures(table, round, tries) {
  return [
    h("div", { class: "evidence-row marked" }, READERS.map((reader) => drawNext(`${addressOf(table, round, 0)}?marks=${reader}`, t(`evidence.${reader}`), tries))),
    drawLamps(table, round, tries),
  ];
}

function drawPicture(source, label, missing) {
  const picture = h("img", { src: source, alt: label, loading: "lazy" });
  const enlarge = () => show({ title: label, wide: true, body: h("img", { class: "large-picture", src: source, alt: label }) });
  const button = h("button", { type: "button", class: "picture", "aria-label": t("evidence.enlarge", { label }), onclick: enlarge }, picture);
  picture.addEventListener("error", () => button.replaceWith(h("p", { class: "no-picture" }, missing)));
  return h("figure", {}, button, h("figcaption", {}, label));
}
