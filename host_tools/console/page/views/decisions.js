// What supervisors and shift managers decide about a round; dice entered by hand are shown again before they count.

import { path, post } from "../api.js";
import { isOfCards } from "../deeds.js";
import { ask } from "../dialogs.js";
import { die, totalOf } from "../dice.js";
import { h } from "../dom.js";
import { choiceField, facesField, reasonField, textField } from "../fields.js";
import { feltOf } from "../felt.js";
import { may } from "../house.js";
import { t, word } from "../texts.js";

const CONCERN_LESS = /^terminal-lost|^wrong-result|^interrupted-after/; // one terminal, or a round that has its result

const address = (table, deed) => path("tables", table.name, "rounds", table.round.id, deed);

/** Void the round under way: for a fact on which the rulebook rules. */
export async function voidRound(table) {
  const felt = await feltOf(table);
  const rulings = Object.entries(felt.rulings).filter(([fact, ruling]) => !CONCERN_LESS.test(fact) && isMine(ruling));
  const facts = rulings.sort(([, one], [, two]) => isVoid(two) - isVoid(one)).map(rulingText);
  const answer = await ask({
    title: t("void.title"),
    explain: t("void.explain"),
    fields: [choiceField("fact", t("field.fact"), facts), reasonField()],
    confirm: t("deed.void"),
    danger: true,
  });
  return answer && post(address(table, "void"), answer);
}

// What the rulebook refers is the shift manager's to void.
const isMine = (ruling) => ruling.action !== "refer" || may("resolve");
const isVoid = (ruling) => ruling.action === "void";
const rulingText = ([fact, ruling]) => [fact, `${word("fact", fact)} – ${word("action", ruling.action)}, ${ruling.clause}`];

/** Settle a held round by its reading: the pictures were looked at and agree. */
export async function releaseRound(table) {
  const why = await ask({ title: t("deed.release"), explain: t("release.explain"), fields: [reasonField()], confirm: t("deed.release") });
  return why && post(address(table, "resolution"), { verdict: "release", ...why });
}

/** End a referred round: by the dice as two people see them, or void. */
export async function resolveRound(table) {
  const byFaces = t(isOfCards(table) ? "resolve.by-cards" : "resolve.by-dice");
  const verdicts = [["by-dice", byFaces], ["void", t("resolve.void")]];
  const chosen = await ask({
    title: t("resolve.title"),
    explain: t("resolve.explain"),
    fields: [choiceField("verdict", t("field.verdict"), verdicts)],
    confirm: t("next"),
  });
  if (!chosen) return null;
  if (chosen.verdict === "by-dice") return askForDice(table, "resolution", byFaces, { verdict: "by-dice" });
  const why = await ask({ title: t("resolve.void"), fields: [reasonField()], confirm: t("resolve.void"), danger: true });
  return why && post(address(table, "resolution"), { verdict: "void", ...why });
}

/** Settle a settled round again by what the dice show. */
export const correctRound = (table) => askForDice(table, "correction", t(isOfCards(table) ? "correct.title-cards" : "correct.title"), {});

/** The dice as people read them, where the rulebook allows it. */
export const enterByHand = (table) => askForDice(table, "manual-result", t("manual.title"), {});

async function askForDice(table, deed, title, body) {
  const ofCards = isOfCards(table);
  const evidence = textField("evidence", t("field.evidence"), { required: false, pattern: "[0-9a-f]{64}", hint: t("field.evidence-hint") });
  const fields = [facesField({ ofCards }), reasonField(), ...(ofCards ? [] : [evidence])]; // no camera sees cards
  const answer = await ask({ title, explain: t("two.explain"), fields, confirm: t("next") });
  if (!answer || !(await showAgain(title, answer.faces, answer.reason))) return null;
  return post(address(table, deed), { ...body, ...answer, evidence: answer.evidence || null });
}

const showAgain = (title, faces, reason) =>
  ask({
    title,
    explain: t("two.check"),
    body: [
      h("div", { class: "round-dice" }, faces.map((face) => die(face))),
      h("p", { class: "check-total" }, t("two.total", { faces: faces.join(" "), total: totalOf(faces) })),
      h("blockquote", {}, reason),
    ],
    confirm: t("two.propose"),
  });
