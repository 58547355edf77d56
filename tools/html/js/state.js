// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** The reader's choices. The page's address holds them too, so a view can be bookmarked and the browser can go back. */

/**
 * @typedef {Object} Choice
 * @property {"count"|"bytes"|"bus_bytes"|"exposed_ns"} metric
 * @property {"mean"|"sum"} unit whether amounts are means per rank and step
 * @property {string} phase a phase's name, "" for all
 * @property {string} kind a kind's name, "" for all
 * @property {string} group a group's label, "" for all
 * @property {string} module the module whose subtree is shown; "" for the root
 * @property {string} find the search text for modules
 * @property {string} sort the column that the table of modules is sorted by
 * @property {"up"|"down"} order
 * @property {"tree"|"flat"} rows the layout of the module table
 * @property {"show"|"hide"} empty whether the module table includes modules without collectives
 * @property {string} rowsort the column that the table of collectives is sorted by
 * @property {"up"|"down"} roworder
 * @property {"value"|"difference"} heat the quantity that the heat map shows
 * @property {"value"|"log"} timescale the scale of the axis for step times
 */

/** @type {Choice} */
export const kDefaults = Object.freeze({
  metric: "bytes",
  unit: "mean",
  phase: "",
  kind: "",
  group: "",
  module: "",
  find: "",
  sort: "tree",
  order: "down",
  rows: "tree",
  empty: "hide",
  rowsort: "bytes",
  roworder: "down",
  heat: "value",
  timescale: "value",
});

/** The valid values of the choices that are not names from the report. */
const kAllowed = {
  metric: ["count", "bytes", "bus_bytes", "exposed_ns"],
  unit: ["mean", "sum"],
  sort: ["tree", "name", "calls", "count", "bytes", "bus_bytes", "own_count", "own_bytes", "exposed_ns"],
  order: ["up", "down"],
  rows: ["tree", "flat"],
  empty: ["show", "hide"],
  roworder: ["up", "down"],
  heat: ["value", "difference"],
  timescale: ["value", "log"],
};

/** Returns the choice in an address. Missing and invalid fields have their defaults. */
export function choiceFromHash(hash) {
  const choice = { ...kDefaults };
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name in kDefaults && (kAllowed[name] ?? [value]).includes(value)) {
      choice[name] = value;
    }
  }
  return choice;
}

/** Returns the address fragment of a choice, which has only the fields that differ from the defaults. */
export function hashFromChoice(choice) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(choice)) {
    if (value !== kDefaults[name]) {
      said.set(name, value);
    }
  }
  return said.toString();
}

/** Holds the choice, notifies listeners of changes, and updates the page's address. */
export class State {
  /** @param {(choice: Choice) => Choice} mend returns the choice without names that the report does not have */
  constructor(mend) {
    this.mend = mend;
    this.listeners = [];
    this.choice = mend(choiceFromHash(location.hash));
    addEventListener("hashchange", () => this.#take(choiceFromHash(location.hash)));
  }

  /** Calls `listener` with the new and the old choice on each change. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Changes fields of the choice. A change of the module adds an entry to the browser's history. */
  set(change) {
    const before = this.choice;
    this.#take({ ...before, ...change });
    const hash = `#${hashFromChoice(this.choice)}`;
    if (this.choice.module !== before.module) {
      history.pushState(null, "", hash);
    } else {
      history.replaceState(null, "", hash);
    }
  }

  #take(choice) {
    const before = this.choice;
    this.choice = this.mend(choice);
    for (const listener of this.listeners) {
      listener(this.choice, before);
    }
  }
}
