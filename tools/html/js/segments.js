// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { h } from "./dom.js";

/** A row of radio buttons, one for each value that the choice `name` may have; `titles` by value. */
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
  return h("fieldset", { class: "segments" }, h("legend", null, legend), ...buttons);
}
