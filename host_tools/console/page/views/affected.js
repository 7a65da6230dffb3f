// Rounds that a damaged die may have touched: people say how far back (RWS 5.4, 5.10), two of them void these rounds.

import { get, listOf, path, post } from "../api.js";
import { dateAndTime } from "../clock.js";
import { ask } from "../dialogs.js";
import { h } from "../dom.js";
import { reasonField } from "../fields.js";
import { attempt, tell } from "../notices.js";
import { t } from "../texts.js";

/** Ask which rounds since the last change of dice are to be void, and propose it. */
export async function voidAffected(table) {
  await attempt(async () => {
    const rounds = listOf(await get(path("tables", table, "affected"))).filter((round) => round.state === "settled");
    if (!rounds.length) return tell(t("affected.none"));
    const answer = await ask({
      title: t("deed.void-affected"),
      explain: `${t("affected.explain")} ${t("two.explain")}`,
      fields: [roundsField(rounds), reasonField()],
      confirm: t("two.propose"),
      danger: true,
    });
    if (!answer) return null;
    if (!answer.rounds.length) throw new Error(t("affected.choose"));
    await post(path("tables", table, "affected"), answer);
    return tell(t("proposals.made"));
  });
}

function roundsField(rounds) {
  const boxes = [...rounds].reverse().map((round) => ({ round, box: h("input", { type: "checkbox", value: round.id }) }));
  const line = ({ round, box }) => h("label", { class: "check" }, box, `${dateAndTime(round.opened_ms)} · ${round.faces.join(" ")}`);
  return {
    name: "rounds",
    value: () => boxes.filter(({ box }) => box.checked).map(({ round }) => round.id).reverse(),
    element: h("fieldset", { class: "field rounds-field" }, h("legend", {}, t("desk.rounds")), boxes.map(line)),
  };
}
