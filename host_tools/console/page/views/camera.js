// What the camera saw of the newest round that was read, for those who may see it: the dealer's view is theirs too.

import { h, redrawing, setAttribute } from "../dom.js";
import { may } from "../house.js";
import { t } from "../texts.js";
import { drawComing } from "./evidence.js";

const READ = ["held", "settled", "void", "referred"];

export function cameraPanel(name) {
  const place = h("div", { class: "evidence" });
  const element = h("section", { class: "card", hidden: true }, h("h2", {}, t("camera.title")), place);
  const draw = redrawing(place, ({ id }) => drawComing(name, id));
  return {
    element,
    update({ round }) {
      if (!may("see-evidence") || !round || !READ.includes(round.state)) return; // the last picture stays
      setAttribute(element, "hidden", false);
      draw({ id: round.id });
    },
  };
}
