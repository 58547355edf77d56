// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { shorten } from "./text.js";

/** The only functions of the page that create elements. Text is always inserted as text, never as markup. */

/**
 * Creates an element.
 * @param {string} tag
 * @param {Object} attributes by name; null, undefined and false omit an attribute; `on…` names are event listeners
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

/** Returns the full name for the attribute `title` if the shown text is not all of it. */
export function titleOf(name, length) {
  return shorten(name, length) === name ? null : name;
}

/** Returns an element with at most `length` characters of a name. The full name is its title. */
export function named(name, length) {
  return h("span", { title: titleOf(name, length) }, shorten(name, length));
}

/** Returns an element with at most `length` characters of a dotted name, which may wrap after its dots. */
export function breakable(name, length) {
  const parts = shorten(name, length).split(/(?<=\.)/);
  const pieces = parts.flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));
  return h("span", { title: titleOf(name, length) }, ...pieces);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Announces text to screen readers without showing it. */
export function say(text) {
  byId("said").textContent = text;
}

/**
 * Calls `redraw`, then restores the open state and scroll position of elements that have a `data-key`.
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
 * Replaces the children of an element. The focus moves to the new child with the same `data-key`: otherwise a redraw
 * would send keyboard users back to the start of the page.
 */
export function refill(container, ...children) {
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  container.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  if (focused !== undefined) {
    container.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}

/** Returns a row of radio buttons, one per value of the choice `name`. `titles` maps values to titles. */
export function segments(view, name, legend, titles) {
  const buttons = Object.entries(titles).map(([value, title]) => {
    const input = h("input", {
      type: "radio",
      name,
      value,
      "data-key": `${name}-${value}`,
      onchange: () => view.set({ [name]: value }),
    });
    input.checked = view.choice[name] === value;
    return h("label", null, input, h("span", null, title));
  });
  const options = h("div", { class: "segments" }, ...buttons);
  return h("fieldset", { class: "choice" }, h("legend", null, legend), options);
}

/** Light or dark mode: the system's setting, unless the reader chooses one. */

/** @param {() => void} redraw redraws the charts, which read their colours from the style sheet only when drawn */
export function followTheme(select, redraw) {
  select.addEventListener("change", () => {
    if (select.value === "") {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = select.value;
    }
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

/** A box that scrolls. A shadow at its left or right edge shows that there is more in that direction. */

const kSlack = 1; // pixels; browsers round scroll positions

function showEdges(frame, scroll) {
  const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
  frame.classList.toggle("more-left", scroll.scrollLeft > kSlack);
  frame.classList.toggle("more-right", right > kSlack);
}

/**
 * Returns a scrolling box that holds `content`.
 * @param {string} key unique in the page
 * @param {string} label for screen readers
 */
export function scrollBox(key, label, content) {
  const attributes = { class: "scroll", tabindex: "0", role: "region", "data-key": key, "aria-label": label };
  const scroll = h("div", attributes, content);
  const frame = h("div", { class: "edges" }, scroll);
  const update = () => showEdges(frame, scroll);
  scroll.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(scroll);
  return frame;
}
