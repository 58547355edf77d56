// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** The only way in which this page makes elements: text is always text, never markup. */

/**
 * Makes an element.
 * @param {string} tag
 * @param {Object} attributes `class`, `aria-…` and so on; null and false are left out; `on…` are event listeners
 * @param {...(Node|string|number|null)} children
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A dotted name that may break after its dots. */
export function breakable(name) {
  const parts = name.split(/(?<=\.)/);
  return h("span", null, ...parts.flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part])));
}

export function byId(id) {
  return document.getElementById(id);
}

/** Has a screen reader say something, which is not shown. */
export function say(text) {
  byId("said").textContent = text;
}

/**
 * Redraws under the eyes of somebody who reads: what they have opened or closed, and scrolled to, stays so. For elements
 * that have a `data-key`.
 */
export function keepPlaces(redraw) {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const opened = new Map(all("details[data-key]").map(({ dataset, open }) => [dataset.key, open]));
  const scrolled = new Map(all(".scroll[data-key]").map(({ dataset, scrollTop }) => [dataset.key, scrollTop]));
  redraw();
  for (const element of all("details[data-key]")) {
    element.open = opened.get(element.dataset.key) ?? element.open;
  }
  for (const element of all(".scroll[data-key]")) {
    element.scrollTop = scrolled.get(element.dataset.key) ?? 0;
  }
}

/**
 * Replaces what an element holds; the focus stays with the element that has the same `data-key`.
 * A page that redraws under the hands of somebody who uses the keyboard would throw them back to its start.
 */
export function refill(container, ...children) {
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  container.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  if (focused !== undefined) {
    container.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}
