// The words of the page: one file a language under texts/; a new language is a new file and a line in languages.json.

const STORED = "console.language";

let words = {};
let fallback = {};
let language = "en";

/** Load the words of the language chosen before, or of the browser, or English. */
export async function loadTexts() {
  const known = await read("languages");
  const wished = [localStorage.getItem(STORED), ...navigator.languages.map((each) => each.slice(0, 2)), "en"];
  language = wished.find((each) => each in known) ?? "en";
  fallback = await read("en");
  words = language === "en" ? fallback : await read(language);
  document.documentElement.lang = language;
  return known;
}

async function read(name) {
  const answer = await fetch(`texts/${name}.json`);
  if (!answer.ok) throw new Error(`texts/${name}.json: ${answer.status}`);
  return answer.json();
}

/** Remember a language for the next start. */
export function chooseLanguage(code) {
  localStorage.setItem(STORED, code);
}

/** The language of the page, as "de". */
export const currentLanguage = () => language;

/** Whether there are words for a key. */
export const hasText = (key) => key in words || key in fallback;

/** The words for a key, `{name}` replaced by the parameters; the key itself when there are none. */
export function t(key, parameters = {}) {
  const text = words[key] ?? fallback[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in parameters ? String(parameters[name]) : whole));
}

/** The words for one of a family of values, as `word("state", "betting")`; an unknown value stands for itself. */
export function word(family, value) {
  if (value === null || value === undefined || value === "") return "";
  const key = `${family}.${value}`;
  return hasText(key) ? t(key) : String(value);
}
