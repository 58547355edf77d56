// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

/** What the reader has chosen. It is also in the page's address, so that a view can be bookmarked and gone back to. */

/**
 * @typedef {Object} Choice
 * @property {"count"|"bytes"|"bus_bytes"} metric
 * @property {string} phase a phase's name, "" for all
 * @property {string} kind a kind's name, "" for all
 * @property {string} group a group's label, "" for all
 * @property {string} module the module whose subtree is shown; "" for the root
 * @property {string} find the text that names of modules must hold
 * @property {string} sort the column that the table of modules is sorted by
 * @property {"up"|"down"} order
 * @property {"tree"|"flat"} rows whether the table keeps children below their parents
 * @property {"show"|"hide"} empty whether the table has modules without collectives
 * @property {string} rowsort the column that the table of collectives is sorted by
 * @property {"up"|"down"} roworder
 * @property {"value"|"difference"} heat what the heat map shows
 * @property {"value"|"log"} timescale the axis of the times of steps
 */

/** @type {Choice} */
export const kDefaults = Object.freeze({
  metric: "bytes",
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

/** The values that a choice may have besides names from the report. */
const kAllowed = {
  metric: ["count", "bytes", "bus_bytes"],
  sort: ["tree", "name", "calls", "count", "bytes", "bus_bytes", "own_count", "own_bytes"],
  order: ["up", "down"],
  rows: ["tree", "flat"],
  empty: ["show", "hide"],
  roworder: ["up", "down"],
  heat: ["value", "difference"],
  timescale: ["value", "log"],
};

/** The choice in an address; what it cannot say is as by default. */
export function choiceFromHash(hash) {
  const choice = { ...kDefaults };
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name in kDefaults && (kAllowed[name] ?? [value]).includes(value)) {
      choice[name] = value;
    }
  }
  return choice;
}

/** Only what differs from the defaults. */
export function hashFromChoice(choice) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(choice)) {
    if (value !== kDefaults[name]) {
      said.set(name, value);
    }
  }
  return said.toString();
}

/** Holds the choice, tells everyone who listens of changes, and keeps the address in step. */
export class State {
  /** @param {(choice: Choice) => Choice} mend makes a choice one that the report can show */
  constructor(mend) {
    this.mend = mend;
    this.listeners = [];
    this.choice = mend(choiceFromHash(location.hash));
    addEventListener("hashchange", () => this.#take(choiceFromHash(location.hash)));
  }

  /** Calls back with the choice on each change. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Changes some of the choice. A move in the tree is a step that the browser's "back" undoes. */
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
