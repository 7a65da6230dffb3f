// Elements without markup: whatever is shown enters the page as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. `props`: attributes; `on…` are listeners; `false`, `null` and `undefined` leave one out. */
export function h(tag, props = {}, ...children) {
  return build(document.createElement(tag), props, children);
}

/** An SVG element, as `h`. */
export function svg(tag, props = {}, ...children) {
  return build(document.createElementNS(SVG, tag), props, children);
}

function build(element, props, children) {
  for (const [name, value] of Object.entries(props)) setProperty(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setProperty(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Set an attribute only when it changes, so that nothing is announced or drawn twice. */
export function setAttribute(element, name, value) {
  const text = value === true ? "" : value;
  if (text === false || text === null || text === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(text)) element.setAttribute(name, String(text));
}

/** Set the text of an element only when it changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A function that redraws `element` with `draw(value)` only when the value differs from the one drawn. */
export function redrawing(element, draw) {
  let drawn;
  return (value) => {
    const key = JSON.stringify(value) ?? "";
    if (key === drawn) return;
    drawn = key;
    element.replaceChildren(...[draw(value)].flat(Infinity).filter(Boolean));
  };
}
