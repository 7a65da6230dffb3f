// What surrounds every view: where one is, whether it is live, who one is, theme, language and sign-out.

import { alarmBand } from "./alarms.js";
import { path, remove } from "./api.js";
import { timeOfDay, ticking, ago, serverNow } from "./clock.js";
import { h, setAttribute, setText } from "./dom.js";
import { forget, link, may, person, proposals } from "./house.js";
import { attempt, noticeBoard } from "./notices.js";
import { address } from "./routes.js";
import { chooseLanguage, currentLanguage, t, word } from "./texts.js";
import { THEMES, chooseTheme, currentTheme } from "./theme.js";

/** The page around a view: `elements` for the body, and `main`, where views go. */
export function shell(languages) {
  const main = h("main", { id: "main", tabindex: "-1" });
  const skip = h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("skip"));
  return { elements: [skip, header(languages), staleBanner(main), alarmBand((table) => address("tables", table, "desk")), main, noticeBoard], main };
}

function header(languages) {
  const me = person.get();
  return h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "#/" }, h("span", { class: "brand-mark", "aria-hidden": "true" }, "⚂"), t("title.short")),
    navigation(),
    linkLight(),
    h(
      "div",
      { class: "me" },
      select(t("theme"), THEMES.map((each) => [each, t(`theme.${each}`)]), currentTheme(), chooseTheme),
      select(t("language"), Object.entries(languages), currentLanguage(), turnLanguage),
      h("a", { class: "who", href: address("password"), title: t("password.title") }, h("strong", {}, me.name), h("span", { class: "role" }, word("role", me.role))),
      h("button", { type: "button", class: "secondary", onclick: signOut }, t("sign-out")),
    ),
  );
}

function navigation() {
  const waiting = h("span", { class: "badge", hidden: true });
  proposals.follow((all) => {
    setText(waiting, String(all.length));
    setAttribute(waiting, "hidden", all.length === 0);
    setAttribute(waiting, "aria-label", t("proposals.waiting", { count: all.length }));
  });
  return h(
    "nav",
    { "aria-label": t("nav") },
    h("a", { href: "#/" }, t("nav.floor"), waiting),
    may("audit") ? h("a", { href: address("audit") }, t("nav.audit")) : null,
    may("manage") ? h("a", { href: address("people") }, t("nav.people")) : null,
  );
}

function linkLight() {
  const text = h("span", {});
  const light = h("span", { class: "link", role: "status" }, h("span", { class: "lamp", "aria-hidden": "true" }), text);
  link.follow(({ state }) => {
    setAttribute(light, "data-state", state);
    setText(text, t(`link.${state}`));
  });
  return light;
}

function staleBanner(main) {
  const since = h("strong", {});
  const age = h("span", { "aria-hidden": "true" });
  const banner = h("div", { class: "stale", role: "alert", hidden: true });
  link.follow(({ state, since: sinceMs }) => {
    const old = state === "stale";
    setAttribute(banner, "hidden", !old);
    main.classList.toggle("old", old);
    if (!old) return;
    setText(since, t("stale.since", { time: timeOfDay(sinceMs) }));
    banner.replaceChildren(since, h("span", {}, t("stale.explain")), age);
  });
  ticking(document.body, () => {
    const { state, since: sinceMs } = link.get();
    if (state === "stale") setText(age, ago(sinceMs + serverNow() - Date.now()));
  });
  return banner;
}

function select(label, pairs, value, choose) {
  const options = pairs.map(([each, text]) => h("option", { value: each, selected: each === value }, text));
  return h("select", { "aria-label": label, title: label, onchange: (event) => choose(event.target.value) }, options);
}

function turnLanguage(code) {
  chooseLanguage(code);
  location.reload();
}

async function signOut() {
  if (await attempt(() => remove(path("session")))) forget();
}
