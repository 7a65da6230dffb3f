// What the camera saw of the newest round that was read, for those who may see it: the dealer's view is theirs too.

import { timeOfDay } from "../clock.js";
import { h, redrawing, setAttribute, setText } from "../dom.js";
import { may } from "../house.js";
import { t, word } from "../texts.js";
import { drawComing, wasRead } from "./evidence.js";

export function cameraPanel(name) {
  const whose = h("p", { class: "quiet" }); // the pictures stay when the next round has begun, and are not its own
  const place = h("div", { class: "evidence" });
  const element = h("section", { class: "card", hidden: true }, h("h2", {}, t("camera.title")), whose, place);
  const draw = redrawing(place, ({ id }) => drawComing(name, id));
  const showNone = () => {
    setAttribute(element, "hidden", false);
    setText(whose, t("camera.none"));
  };
  return {
    element,
    update({ round, mode, evidence }) {
      if (may("see-evidence") && mode !== "cards" && !evidence) return showNone();
      if (!may("see-evidence") || !round || round.mode === "cards" || !wasRead(round.state)) return; // the last picture stays
      setAttribute(element, "hidden", false);
      setText(whose, [timeOfDay(round.opened_ms), word("state", round.state), round.faces?.join(" ")].filter(Boolean).join(" · "));
      draw({ id: round.id });
    },
  };
}
