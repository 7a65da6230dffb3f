// From the address after the # to a view.

import { forget, may, person } from "./house.js";
import { t } from "./texts.js";
import { auditView } from "./views/audit.js";
import { deskView } from "./views/desk.js";
import { floorView } from "./views/floor.js";
import { passwordView } from "./views/password.js";
import { peopleView } from "./views/people.js";
import { tableView } from "./views/table.js";

/** The address of a view: `address("tables", name)`. */
export const address = (...pieces) => `#/${pieces.map((piece) => encodeURIComponent(piece)).join("/")}`;

/** The pieces of an address. */
const piecesOf = (hash) => hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

/** The view of an address: `{element, leave}`; what is unknown or not allowed leads to the floor. */
export function routes(hash) {
  const [place, name, part] = piecesOf(hash);
  if (place === "tables" && name && part === "desk") return deskView(name);
  if (place === "tables" && name) return tableView(name);
  if (place === "audit" && may("audit")) return auditView();
  if (place === "people" && may("manage")) return peopleView();
  if (place === "password") return { element: passwordView(person.get().name, t("password.change"), signInAgain) };
  return floorView();
}

function signInAgain() {
  location.hash = address();
  forget();
}
