// The console: starts, shows the view that the address names, and says what is wrong when it cannot start.

import { get, path, post, useCsrf } from "./api.js";
import { h } from "./dom.js";
import { follow, person } from "./house.js";
import { routes } from "./routes.js";
import { shell } from "./shell.js";
import { loadTexts, t } from "./texts.js";
import { applyTheme } from "./theme.js";
import { passwordView } from "./views/password.js";
import { setUpView } from "./views/setup.js";
import { signInView } from "./views/signin.js";

const SET_UP = /^(?:#\/setup\/|\/setup\/)([\w-]+)$/;

async function start() {
  applyTheme();
  try {
    const languages = await loadTexts();
    document.title = t("title");
    await open(languages);
  } catch (error) {
    document.body.replaceChildren(h("p", { class: "fatal", role: "alert" }, error.message));
  }
}

async function open(languages) {
  const setUp = SET_UP.exec(location.hash) ?? SET_UP.exec(location.pathname);
  if (setUp) return showAlone(setUpView(setUp[1]));
  const known = await get(path("session")).catch((error) => {
    if (error.status === 401) return null;
    throw error;
  });
  if (known) await enter(known, languages);
  else showSignIn(languages);
}

function showSignIn(languages) {
  showAlone(signInView((session) => enter(session, languages)));
}

// Nothing else may be done with a password that somebody else has set.
function showPassword(name, languages) {
  const again = async (password) => enter(await post(path("session"), { name, password }), languages);
  showAlone(passwordView(name, t("password.choose"), again));
}

async function enter(session, languages) {
  useCsrf(session.csrf);
  if (session.choose_password) return showPassword(session.name, languages);
  person.set(session);
  await follow();
  const page = shell(languages);
  document.body.replaceChildren(...page.elements);
  let leave = show(page.main);
  const turn = () => {
    leave();
    leave = show(page.main);
    page.main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", turn);
  const stop = person.follow((somebody) => {
    if (somebody) return;
    queueMicrotask(() => stop());
    window.removeEventListener("hashchange", turn);
    leave();
    showSignIn(languages);
  });
}

function show(main) {
  const view = routes(location.hash);
  main.replaceChildren(view.element);
  return view.leave ?? (() => {});
}

function showAlone(element) {
  document.body.replaceChildren(h("main", { class: "alone" }, element));
}

start();
