// What supervisors decide about a round; dice entered by hand are shown again before they count.

import { get, path, post } from "../api.js";
import { ask } from "../dialogs.js";
import { die, totalOf } from "../dice.js";
import { h } from "../dom.js";
import { choiceField, facesField, reasonField, textField } from "../fields.js";
import { feltOf } from "../felt.js";
import { t, word } from "../texts.js";

const address = (table, deed) => path("tables", table.name, "rounds", table.round.id, deed);

/** Void the round under way: for a reason that the rulebook knows, or one of one's own. */
export async function voidRound(table) {
  const felt = await feltOf(table);
  const facts = Object.entries(felt.rulings).map(([fact, ruling]) => [fact, `${word("fact", fact)} – ${word("action", ruling.action)}, ${ruling.clause}`]);
  const answer = await ask({
    title: t("void.title"),
    explain: t("void.explain"),
    fields: [choiceField("fact", t("field.fact"), [["", t("field.fact-none")], ...facts]), reasonField()],
    confirm: t("deed.void"),
    danger: true,
  });
  return answer && post(address(table, "void"), answer.fact ? answer : { reason: answer.reason });
}

/** End a held or referred round: by its reading, by the dice as two people see them, or void. */
export async function resolveRound(table) {
  const held = table.round.state === "held";
  const verdicts = [...(held ? ["release"] : []), "settled", "void"];
  const chosen = await ask({
    title: t("resolve.title"),
    explain: t(held ? "resolve.explain-held" : "resolve.explain"),
    fields: [choiceField("verdict", t("field.verdict"), verdicts.map((each) => [each, t(`resolve.${each}`)]))],
    confirm: t("next"),
  });
  if (!chosen) return null;
  if (chosen.verdict === "release") return post(address(table, "resolution"), { verdict: "release" });
  if (chosen.verdict === "settled") return askForDice(table, "resolution", t("resolve.settled"), { verdict: "settled" });
  const why = await ask({ title: t("resolve.void"), fields: [reasonField()], confirm: t("resolve.void"), danger: true });
  return why && post(address(table, "resolution"), { verdict: "void", ...why });
}

/** Settle a settled round again by what the dice show. */
export const correctRound = (table) => askForDice(table, "correction", t("correct.title"), {});

/** The dice as people read them, where the rulebook allows it. */
export const enterByHand = (table) => askForDice(table, "manual-result", t("manual.title"), {});

async function askForDice(table, deed, title, body) {
  const withEvidence = deed !== "manual-result";
  const evidence = withEvidence ? [textField("evidence", t("field.evidence"), { value: await digestOf(table), hint: t("field.evidence-hint") })] : [];
  const answer = await ask({ title, explain: t("two.explain"), fields: [facesField(), reasonField(), ...evidence], confirm: t("next") });
  if (!answer || !(await showAgain(title, answer.faces, answer.reason))) return null;
  return post(address(table, deed), { ...body, ...answer });
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

// The SHA-256 of the round's frames, which a correction names; empty when the service keeps none.
async function digestOf(table) {
  try {
    return (await get(address(table, "evidence"))).frames ?? "";
  } catch {
    return "";
  }
}
