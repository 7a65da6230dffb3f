// Dice, drawn large enough to be read across a table; one and four are red, as on the dice of the game.

import { svg } from "./dom.js";
import { t } from "./texts.js";

const PIPS = { 1: [5], 2: [1, 9], 3: [1, 5, 9], 4: [1, 3, 7, 9], 5: [1, 3, 5, 7, 9], 6: [1, 3, 4, 6, 7, 9] };

/** One die showing `face`; without a face an empty outline. */
export function die(face) {
  const shown = face in PIPS;
  return svg(
    "svg",
    {
      viewBox: "0 0 100 100",
      class: shown ? "die" : "die unknown",
      role: "img",
      "aria-label": shown ? t("dice.face", { face }) : t("dice.unknown"),
    },
    svg("rect", { class: "die-body", x: 3, y: 3, width: 94, height: 94, rx: 18 }),
    (PIPS[face] ?? []).map((cell) =>
      svg("circle", { class: face === 1 || face === 4 ? "pip red" : "pip", cx: 24 + ((cell - 1) % 3) * 26, cy: 24 + Math.floor((cell - 1) / 3) * 26, r: 10.5 }),
    ),
    shown ? null : svg("text", { class: "die-question", x: 50, y: 66, "text-anchor": "middle" }, "?"),
  );
}

/** A small die for the felt and the road: part of a picture that has a label of its own. */
export function smallDie(face) {
  const drawn = die(face);
  drawn.removeAttribute("role");
  drawn.removeAttribute("aria-label");
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}

/** The total of three faces. */
export const totalOf = (faces) => faces[0] + faces[1] + faces[2];

/** Whether all three are the same. */
export const isTriple = (faces) => faces[0] === faces[1] && faces[1] === faces[2];
