// Elements of the page.

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

const filled = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

/** A new element: `h("p", { class: "note" }, "words")`. Functions are listeners; `null` and `false` leave an attribute out. */
export const h = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const s = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Says in `note` what is wrong with fields, and marks them; without a `fault`, takes both back. */
export const showFault = (fields, note, fault) => {
  note.hidden = !fault;
  note.textContent = fault ?? "";
  for (const field of fields) {
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", note.id]]) {
      if (fault) field.setAttribute(name, value);
      else field.removeAttribute(name);
    }
  }
};

/** Calls `act` when no other call has come for so many milliseconds. */
export const settled = (milliseconds, act) => {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
};
