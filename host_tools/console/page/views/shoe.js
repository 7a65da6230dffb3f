// The shoe of a table of cards: what is in it, the six cards to press as they are drawn, and what is put right.

import { path, post } from "../api.js";
import { POSSIBLE } from "../deeds.js";
import { ask } from "../dialogs.js";
import { die, totalOf } from "../dice.js";
import { h, redrawing, setAttribute } from "../dom.js";
import { faceField, facesField, reasonField } from "../fields.js";
import { askAgain, link, may, tables } from "../house.js";
import { attempt } from "../notices.js";
import { t } from "../texts.js";

const FACES = [1, 2, 3, 4, 5, 6];

export function shoePanel(name) {
  const body = h("div", {});
  const draw = redrawing(body, drawShoe);
  let busy = false;
  const press = (face) => act(name, () => busy || !POSSIBLE["enter-card"](now(name)), () => enterCard(now(name), face), setBusy);
  const pad = may("draw") ? cardPad(press) : null;
  const deeds = [
    deedButton(name, "load-shoe", loadShoe),
    deedButton(name, "expose-card", exposeCard),
    deedButton(name, "card-correction", correctCards),
  ];
  function setBusy(value) {
    busy = value;
    if (now(name)) update(now(name));
  }
  function update(table) {
    const usable = !busy && link.get().state === "live";
    draw(table.shoe);
    pad?.update(usable && POSSIBLE["enter-card"](table));
    deeds.forEach((deed) => deed.update(table, usable));
  }
  link.follow(() => now(name) && update(now(name)));
  return {
    element: h("section", { class: "card shoe" }, h("h2", {}, t("shoe.title")), body, pad?.element, h("div", { class: "deeds" }, deeds.map((deed) => deed.element))),
    update,
    shortcuts: pad ? Object.fromEntries(FACES.map((face) => [String(face), () => press(face)])) : {},
  };
}

const now = (name) => tables.get().get(name);

async function act(name, isWrong, run, setBusy) {
  if (isWrong() || link.get().state !== "live") return;
  setBusy(true);
  await attempt(run);
  setBusy(false);
  askAgain(name);
}

function cardPad(press) {
  const buttons = FACES.map((face) => {
    const drawn = die(face);
    drawn.setAttribute("aria-hidden", "true");
    return h("button", { type: "button", class: "card-key", "aria-keyshortcuts": String(face), "aria-label": t("shoe.card", { face }), onclick: () => press(face) }, drawn);
  });
  return {
    element: h("div", { class: "card-pad", role: "group", "aria-label": t("shoe.pad") }, buttons),
    update: (usable) => buttons.forEach((button) => (button.disabled = !usable)),
  };
}

function deedButton(name, deed, run) {
  const press = async () => {
    const table = now(name);
    await attempt(() => run(table), (answer) => answer && t(answer.proposed_by ? "proposals.made" : "done"));
    askAgain(name);
  };
  const element = h("button", { type: "button", class: "secondary", "data-deed": deed, onclick: press }, t(`deed.${deed}`));
  return {
    element,
    update(table, usable) {
      setAttribute(element, "hidden", !POSSIBLE[deed](table));
      element.disabled = !usable;
    },
  };
}

function drawShoe(shoe) {
  if (!shoe) return h("p", { class: "remedy" }, t("shoe.none"));
  const line = (key, value) => h("li", { "data-tone": "calm" }, h("span", {}, t(`shoe.${key}`)), h("strong", {}, String(value)));
  return [
    shoe.unfit ? h("p", { class: "remedy", role: "status" }, shoe.unfit) : null,
    h("ul", { class: "senses" }, line("decks", shoe.decks), line("dealt", shoe.dealt), line("left", shoe.left), line("loaded", shoe.loaded_by)),
    h("p", { class: "quiet" }, t("shoe.by-hand")),
  ];
}

/** The next card of the shoe, by its place in it: pressed or sent twice, it counts once. */
const enterCard = (table, face) => post(path("tables", table.name, "shoe", "cards"), { shoe: table.shoe.id, position: table.shoe.dealt + 1, face });

async function loadShoe(table) {
  const why = await ask({ title: t("deed.load-shoe"), explain: t("shoe.load-explain"), fields: [reasonField()], confirm: t("deed.load-shoe") });
  return why && post(path("tables", table.name, "shoe"), why);
}

async function exposeCard(table) {
  const answer = await ask({ title: t("deed.expose-card"), explain: t("shoe.expose-explain"), fields: [faceField("face", t("field.card"))], confirm: t("deed.expose-card"), danger: true });
  return answer && enterCard(table, answer.face);
}

async function correctCards(table) {
  const answer = await ask({ title: t("deed.card-correction"), explain: t("shoe.correct-explain"), fields: [facesField({ ofCards: true }), reasonField()], confirm: t("next") });
  if (!answer) return null;
  const agreed = await ask({
    title: t("deed.card-correction"),
    explain: t("two.check"),
    body: [
      h("div", { class: "round-dice" }, answer.faces.map((face) => die(face))),
      h("p", { class: "check-total" }, t("two.total", { faces: answer.faces.join(" "), total: totalOf(answer.faces) })),
    ],
    confirm: t("two.propose"),
  });
  return agreed && post(path("tables", table.name, "rounds", table.round.id, "card-correction"), answer);
}
