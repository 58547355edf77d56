// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h } from "./dom.js";

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
