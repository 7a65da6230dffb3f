// Evidence: the frames that a reading rests on, with the marks of the device's reader and of the host's beside them.

import { get, path } from "../api.js";
import { show } from "../dialogs.js";
import { h } from "../dom.js";
import { t } from "../texts.js";

const MARKS = ["device", "host", "none"];

/** The pictures of a round, filled in when the service has told how many there are. */
export function drawEvidence(table, round) {
  const place = h("div", { class: "evidence" }, h("p", { class: "quiet" }, t("evidence.asking")));
  fill(place, table, round);
  return place;
}

async function fill(place, table, round) {
  try {
    const { lamps, frames } = await get(path("tables", table, "rounds", round, "evidence"));
    const rows = Array.from({ length: lamps }, (_, lamp) => drawLamp(table, round, lamp));
    place.replaceChildren(...rows, h("p", { class: "quiet mono" }, t("evidence.digest", { digest: frames })));
  } catch (error) {
    place.replaceChildren(h("p", { class: "quiet" }, error.message));
  }
}

function drawLamp(table, round, lamp) {
  return h("div", { class: "evidence-row" }, MARKS.map((marks) => drawPicture(table, round, lamp, marks)));
}

function drawPicture(table, round, lamp, marks) {
  const query = marks === "none" ? "" : `?marks=${marks}`;
  const source = `${path("tables", table, "rounds", round, "evidence", `${lamp}.png`)}${query}`;
  const label = t(`evidence.${marks}`, { lamp: lamp + 1 });
  const picture = h("img", { src: source, alt: label, loading: "lazy" });
  picture.addEventListener("error", () => picture.replaceWith(h("p", { class: "quiet" }, t("evidence.missing"))));
  const enlarge = () => show({ title: label, wide: true, body: h("img", { class: "large-picture", src: source, alt: label }) });
  return h("figure", {}, h("button", { type: "button", class: "picture", "aria-label": t("evidence.enlarge", { label }), onclick: enlarge }, picture), h("figcaption", {}, label));
}
