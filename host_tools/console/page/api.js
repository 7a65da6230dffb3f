// Questions and deeds over HTTP. Money stays text; a refusal is an error that carries the service's words.

import { Refused, Unreachable } from "./errors.js";
import { t } from "./texts.js";

const TIME_LIMIT_MS = 10_000;

let csrf = "";

/** The secret that proves to the service that a deed comes from this page. */
export function useCsrf(secret) {
  csrf = secret ?? "";
}

/** Ask; nothing changes. */
export const get = (path) => request("GET", path);

/** Do something. */
export const post = (path, body = {}) => request("POST", path, body);

/** Take something away. */
export const remove = (path) => request("DELETE", path);

/** The address of a part of the API, its pieces escaped: `path("tables", name, "rounds")`. */
export const path = (...pieces) => `/api/${pieces.map((piece) => encodeURIComponent(piece)).join("/")}`;

/** A list that the service gives bare or as the one list inside an object. */
export function listOf(answer) {
  if (Array.isArray(answer)) return answer;
  return Object.values(answer ?? {}).find(Array.isArray) ?? [];
}

async function request(method, address, body) {
  let answer;
  try {
    answer = await fetch(address, {
      method,
      headers: headers(method),
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
  } catch {
    throw new Unreachable(t("error.unreachable"));
  }
  const content = await answer.json().catch(() => null);
  if (!answer.ok) throw refusal(answer.status, content);
  return content;
}

function headers(method) {
  if (method === "GET") return { Accept: "application/json" };
  return { Accept: "application/json", "Content-Type": "application/json", "X-CSRF-Token": csrf };
}

function refusal(status, content) {
  const message = typeof content?.message === "string" ? content.message : t("error.status", { status });
  return new Refused(status, content?.error ?? "", message);
}
