// Deeds of two people that wait for the second one; the first person cannot be the second.

import { path, post } from "../api.js";
import { dateAndTime, minutes, secondsLeft, ticking } from "../clock.js";
import { ask } from "../dialogs.js";
import { die, totalOf } from "../dice.js";
import { h, redrawing, setAttribute, setText } from "../dom.js";
import { askAgain, may, person, proposals } from "../house.js";
import { attempt } from "../notices.js";
import { t } from "../texts.js";

/** The proposals of one table, or of all. */
export function proposalList(table = null) {
  const list = h("div", {});
  const element = h("section", { class: "card proposals", hidden: true }, h("h2", {}, t("proposals.title")), list);
  const draw = redrawing(list, (shown) => shown.map(drawProposal));
  const leave = proposals.follow((all) => {
    const shown = all.filter((each) => !table || each.table === table);
    setAttribute(element, "hidden", !shown.length);
    draw(shown);
  });
  return { element, leave };
}

function drawProposal(proposal) {
  const mine = proposal.proposed_by === person.get().name;
  const lapse = h("span", { class: "quiet" });
  const card = h(
    "article",
    { class: "proposal" },
    h("h3", {}, `${t(`deed.${proposal.deed}`)} · ${proposal.table}`),
    proposal.faces ? h("div", { class: "round-dice" }, proposal.faces.map((face) => die(face)), h("span", { class: "check-total" }, String(totalOf(proposal.faces)))) : null,
    proposal.affected?.length ? h("p", {}, t("proposals.rounds", { count: proposal.affected.length })) : null,
    h("blockquote", {}, proposal.reason),
    h("p", { class: "quiet" }, t("proposals.by", { who: proposal.proposed_by, when: dateAndTime(proposal.proposed_ms) })),
    proposal.evidence ? h("p", { class: "quiet mono" }, t("proposals.picture", { digest: proposal.evidence })) : null,
    lapse,
    h("div", { class: "deeds" }, mine ? h("p", { class: "remedy" }, t("proposals.mine")) : confirmButton(proposal), mine || may("decide") ? withdrawButton(proposal) : null),
  );
  ticking(card, () => setText(lapse, t("proposals.lapses", { time: minutes(secondsLeft(proposal.lapses_ms)) })));
  return card;
}

function confirmButton(proposal) {
  if (proposal.deed === "manual-result" && !may("resolve")) return h("p", { class: "quiet" }, t("proposals.shift-manager"));
  if (!may("confirm")) return h("p", { class: "quiet" }, t("proposals.not-you"));
  return h("button", { type: "button", class: "primary", onclick: () => confirm(proposal) }, t("proposals.confirm"));
}

const withdrawButton = (proposal) => h("button", { type: "button", class: "secondary", onclick: () => send(proposal, "withdraw", t("proposals.withdrawn")) }, t("proposals.withdraw"));

async function confirm(proposal) {
  const agreed = await ask({
    title: t("proposals.confirm"),
    explain: t("proposals.confirm-explain", { who: proposal.proposed_by, faces: (proposal.faces ?? []).join(" ") }),
    body: proposal.faces ? h("div", { class: "round-dice" }, proposal.faces.map((face) => die(face))) : [],
    confirm: t("proposals.confirm"),
    danger: true,
  });
  if (agreed) await send(proposal, "confirm", t("proposals.confirmed"));
}

async function send(proposal, deed, said) {
  await attempt(() => post(path("proposals", proposal.id, deed)), said);
  askAgain(proposal.table);
}
