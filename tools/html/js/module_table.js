// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kindColor } from "./charts/chart.js";
import { byId, h, named, refill, say } from "./dom.js";
import { moduleRows, moduleValue } from "./module_rows.js";
import { firstOrder, tableOf } from "./table.js";
import { bytesText, fractionText, nsText, plural, shareText, shorten, unitText } from "./text.js";

/** The module table: a tree with expandable rows or a flat list, sortable by column and searchable by name. */

const kNameLength = 160;
const kDelay = 150; // milliseconds after the last key press before a search begins

function share(view, row) {
  const value = moduleValue(view, view.choice.metric, row.module);
  const whole = moduleValue(view, view.choice.metric, view.module);
  const fills = view.sums.kindsOf(row.module).map((kind) => {
    const fill = h("span", { class: "fill" });
    fill.style.width = `${(100 * value * kind.share) / whole}%`;
    fill.style.background = kindColor(kind.name);
    return fill;
  });
  return h("span", { class: "track" }, ...fills, h("span", { class: "unseen" }, shareText(value, whole)));
}

export class ModuleTable {
  constructor() {
    this.toggled = new Map();
    this.pages = 1;
    this.find = h("input", { type: "search", placeholder: "name or class", "data-key": "find", spellcheck: "false" });
    this.find.addEventListener("input", () => this.#search());
    this.tools = h("div", { class: "tools" });
    this.rows = h("div", null);
    byId("table").replaceChildren(
      h("div", { class: "bar" }, h("label", { class: "find" }, "Find", this.find), this.tools),
      this.rows,
    );
  }

  #search() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.view.set({ find: this.find.value });
      say(`${plural(this.count, "row")} found`);
    }, kDelay);
  }

  update(view) {
    if (this.view?.module.name !== view.module.name) {
      this.pages = 1;
      this.toggled.clear();
    }
    this.view = view;
    if (document.activeElement !== this.find) {
      this.find.value = view.choice.find;
    }
    refill(
      this.tools,
      h("span", { class: "muted" }, unitText(view)),
      this.#check("rows", "flat", "tree", "flat list"),
      this.#check("empty", "show", "hide", "include modules without collectives"),
    );
    this.#redraw();
  }

  #check(name, on, off, title) {
    const input = h("input", {
      type: "checkbox",
      "data-key": `check-${name}`,
      onchange: () => this.view.set({ [name]: input.checked ? on : off }),
    });
    input.checked = this.view.choice[name] === on;
    return h("label", null, input, title);
  }

  #redraw() {
    const { view } = this;
    const rows = moduleRows(view, this.toggled);
    this.count = rows.length;
    const table = tableOf({
      name: "modules",
      caption: `Modules, ${view.choice.rows === "tree" ? "as a tree" : "as a list"}; ${unitText(view)}`,
      columns: this.#columns(),
      rows,
      sort: view.choice.sort,
      order: view.choice.order,
      onSort: (column) => this.#sortBy(column),
      pages: this.pages,
      onMore: () => {
        this.pages += 1;
        this.#redraw();
      },
    });
    refill(this.rows, table, rows.length === 0 ? h("p", { class: "muted nothing" }, "No module matches.") : null);
  }

  #sortBy(column) {
    const { sort, order } = this.view.choice;
    const first = firstOrder(column);
    if (sort !== column.key) {
      this.view.set({ sort: column.key, order: first });
    } else if (order === first) {
      this.view.set({ order: first === "up" ? "down" : "up" });
    } else {
      this.view.set({ sort: "tree", order: "down" }); // the third click restores the order of the tree
    }
  }

  #columns() {
    const number = (key, title, text) => ({
      key,
      title,
      number: true,
      cell: (row) => text(moduleValue(this.view, key, row.module)),
    });
    return [
      { key: "name", title: "Module", header: true, cell: (row) => this.#nameCell(row) },
      number("calls", "Calls", fractionText),
      number("count", "Count", fractionText),
      number("bytes", "Bytes", bytesText),
      number("bus_bytes", "Bus bytes", bytesText),
      number("own_count", "Own count", fractionText),
      number("own_bytes", "Own bytes", bytesText),
      ...(this.view.job.exposed === null ? [] : [number("exposed_ns", "Exposed", nsText)]),
      { key: "share", title: "Share", fixed: true, cell: (row) => share(this.view, row) },
    ];
  }

  #nameCell(row) {
    const { module } = row;
    const name = shorten(this.view.choice.rows === "tree" && row.indent > 0 ? module.label : module.name, kNameLength);
    const drill = {
      type: "button",
      class: "link",
      "data-key": `open-${module.index}`,
      title: `Show only ${module.name}`,
    };
    drill.onclick = () => this.view.set({ module: module.name });
    const element = h(
      "span",
      { class: "module" },
      row.parent ? this.#toggle(row, name) : h("span", { class: "toggle", "aria-hidden": "true" }),
      h("button", drill, name),
      module.className === "" ? null : h("span", { class: "muted class" }, named(module.className, 60)),
    );
    element.style.setProperty("--indent", row.indent);
    return element;
  }

  #toggle(row, name) {
    const change = () => {
      this.toggled.set(row.module.name, !row.open);
      this.#redraw();
    };
    return h(
      "button",
      {
        type: "button",
        class: "toggle",
        "aria-expanded": `${row.open}`,
        "aria-label": `modules in ${name}`,
        "data-key": `toggle-${row.module.index}`,
        onclick: change,
      },
      h("span", { "aria-hidden": "true" }, row.open ? "▾" : "▸"),
    );
  }
}
