// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { metricTitles } from "../amounts.js";
import { byId, h, scrollBox } from "../dom.js";
import { callsOf, likeness } from "../module_rows.js";
import { fractionText, metricText, shareText, shorten } from "../text.js";
import { Chart, kindColor, mix, textOn, themeColor, themeFont } from "./chart.js";
import { icicle, kTallEnough, neighbour, NodeTree, widthOf } from "./tree_nodes.js";

/** Fits a module's name and number into a box of the icicle, without crossing a border between colours. */

/** The distance in pixels between a label and the borders of its colour. */
export const kPadding = 6;
export const kNameStyle = { fontWeight: 600, fontSize: 12, lineHeight: 14 };
export const kNumberStyle = { fontWeight: 400, fontSize: 11, lineHeight: 14 };

const kGap = 8; // pixels between the name and the number; two spaces need less
const kLeastRoom = 40; // pixels; a cut name in less room says nothing

const context = document.createElement("canvas").getContext("2d");

function textWidth(text, { fontWeight, fontSize }) {
  context.font = `${fontWeight} ${fontSize}px ${themeFont()}`;
  return context.measureText(text).width;
}

/** Returns the longest end of the name that fits into `room` pixels behind an ellipsis; "" if the room is too small. */
function cutStart(name, room) {
  if (textWidth(name, kNameStyle) <= room) {
    return name;
  }
  if (room < kLeastRoom) {
    return "";
  }
  const points = Array.from(name);
  let [fits, most] = [0, points.length];
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    const isTooWide = textWidth(`…${points.slice(-middle).join("")}`, kNameStyle) > room;
    [fits, most] = isTooWide ? [fits, middle - 1] : [middle, most];
  }
  return fits === 0 ? "" : `…${points.slice(-fits).join("")}`;
}

/**
 * Returns the label of a box; null if none fits. The number is "" if only the name fits.
 * @template {{x: number, width: number}} Segment
 * @param {Segment[]} segments the coloured parts of the box, from left to right; has at least one
 * @returns {?{name: string, number: string, segment: Segment, isPlate: boolean}} `segment`: the part where the label
 * begins; `isPlate`: the label is on a plate of its own, because it fits into the box but into no segment
 */
export function boxLabel(name, number, segments) {
  const both = textWidth(name, kNameStyle) + kGap + textWidth(number, kNumberStyle);
  const roomy = segments.find(({ width }) => width >= both + 2 * kPadding);
  if (roomy) {
    return { name, number, segment: roomy, isPlate: false };
  }
  const whole = segments.reduce((sum, { width }) => sum + width, 0);
  for (const [width, shown] of [
    [both, number],
    [textWidth(name, kNameStyle), ""],
  ]) {
    if (segments.length > 1 && width + 4 * kPadding <= whole) {
      return { name, number: shown, segment: segments[0], isPlate: true };
    }
  }
  const widest = segments.reduce((a, b) => (b.width > a.width ? b : a));
  const cut = cutStart(name, widest.width - 2 * kPadding);
  return cut === "" ? null : { name: cut, number: "", segment: widest, isPlate: false };
}

/** The chart of the module tree. */

const kHint =
  "The line on top is the shown module, the boxes are the modules in it. Click a box to show only its subtree, and the " +
  "line to go back up. Keys: arrows move, Enter opens, Backspace goes up.";
const kColours =
  "Colours are kinds, as above; pale where only the modules inside communicate. Equal modules are one box, as layers.* × 80.";
const kPale = 0.62;
const kPathLength = 40;

/** Returns the colour of a kind, paler in a box whose modules have no amount of their own. */
function fillOf(kind, isPale) {
  return isPale ? mix(kindColor(kind), themeColor("card"), kPale) : kindColor(kind);
}

/** Replaces braces and bars, which are markup in ECharts labels. */
function plain(label) {
  return label.replace(/[{}|]/g, (mark) => ({ "{": "❴", "}": "❵", "|": "❘" })[mark]);
}

/** Returns the shape of a box, with a gap of a pixel to its neighbours if the box is large enough. */
function shapeOf(box) {
  return {
    x: box.x + 0.5,
    y: box.y,
    width: box.width - 1,
    height: Math.max(box.height - (box.height > 3 ? 1 : 0), 0.5),
    r: box.height > 8 ? 3 : 0,
  };
}

/** Returns the coloured parts of a box, one per kind, from left to right. */
function segmentsOf(box, kinds, isPale) {
  const shape = shapeOf(box);
  let { x } = shape;
  return kinds.map(({ name, share }) => {
    const width = shape.width * share;
    x += width;
    return { x: x - width, width, fill: fillOf(name, isPale) };
  });
}

function drawSegment(shape, { x, width, fill }) {
  return { type: "rect", silent: true, shape: { ...shape, x, width }, style: { fill } };
}

/** Returns the text of a box and its place in the box; no text if none fits. */
function drawLabel(box, segments, name, number) {
  const label = box.height >= kTallEnough ? boxLabel(name, number, segments) : null;
  if (!label) {
    return { textContent: { type: "text", silent: true, style: { text: "" } } };
  }
  const { isPlate, segment } = label;
  const style = { fill: isPlate ? themeColor("text") : textOn(segment.fill), fontFamily: themeFont() };
  const plate = isPlate ? { backgroundColor: themeColor("card"), borderRadius: 3, padding: [3, kPadding] } : {};
  return {
    textContent: {
      type: "text",
      silent: true,
      style: {
        text: `{name|${plain(label.name)}}${label.number === "" ? "" : `  {number|${label.number}}`}`,
        align: "left",
        verticalAlign: "middle",
        ...plate,
        rich: { name: { ...style, ...kNameStyle }, number: { ...style, ...kNumberStyle } },
      },
    },
    textConfig: { position: [segment.x - shapeOf(box).x + kPadding, shapeOf(box).height / 2] },
  };
}

/** Draws the outline of a box with its label. The outline is the shape that reacts to the pointer. */
function drawFrame(box, segments, name, number) {
  return {
    type: "rect",
    shape: shapeOf(box),
    z2: 1,
    style: { fill: "transparent" },
    emphasis: { style: { fill: "transparent", stroke: themeColor("text"), lineWidth: 1.5 } },
    ...drawLabel(box, segments, name, number),
  };
}

/**
 * Draws a box. ECharts reuses the previous child at each index and keeps properties that the new one lacks: the frame
 * must stay first.
 */
function drawParts(box, segments, name, number) {
  const parts = segments.map((segment) => drawSegment(shapeOf(box), segment));
  return { type: "group", children: [drawFrame(box, segments, name, number), ...parts] };
}

function drawBox(view, tree, box) {
  const { modules, label, isRest } = box.node;
  const segments = segmentsOf(box, view.sums.kindsOf(...modules), !isRest && tree.ownOf(box.node) === 0);
  return drawParts(box, segments, label, metricText(view.choice.metric, tree.valueOf(box.node)));
}

/** Draws the area next to a module's children that shows its exclusive amount. */
function drawOwn(view, tree, box) {
  const segments = segmentsOf(box, view.sums.ownKindsOf(...box.node.modules), false);
  return drawParts(box, segments, "own", metricText(view.choice.metric, tree.ownOf(box.node)));
}

function boxSeries(boxes, draw) {
  return {
    type: "custom",
    coordinateSystem: "none",
    data: boxes.map((_, position) => position),
    renderItem: (_, api) => draw(boxes[api.value(0)]),
  };
}

/** Returns the lines on what a node of several modules has. */
function eachLines(view, tree, { modules, isEqual }) {
  const each = tree.valueOf({ modules }) / modules.length;
  return modules.length === 1 ? [] : [[isEqual ? "Each" : "Mean of each", metricText(view.choice.metric, each)]];
}

/** Returns the name of a node's modules: "Transformer.layers.0 and 79 like it". */
function nameOf({ modules, label, target, isRest }) {
  if (isRest) {
    return `${label} in ${target.name}`;
  }
  return modules.length === 1 ? modules[0].name : `${modules[0].name} and ${modules.length - 1} like it`;
}

function describe(view, tree, node) {
  const { choice, sums } = view;
  const value = tree.valueOf(node);
  const whole = sums.inclusive[choice.metric][view.module.index];
  const [first] = node.modules;
  const lines = [
    [shorten(nameOf(node), 200), ""],
    [metricTitles(view.job)[choice.metric], metricText(choice.metric, value)],
    ...eachLines(view, tree, node),
    ["Own", metricText(choice.metric, tree.ownOf(node))],
    ["Share", shareText(value, whole)],
    ["Calls", fractionText(node.modules.reduce((sum, module) => sum + callsOf(view, module), 0))],
  ];
  const kinds = sums.kindsOf(...node.modules).map(({ name, share }) => [name, shareText(share, 1)]);
  lines.push(...(kinds.length > 1 ? kinds : []));
  if (first.className !== "" && !node.isRest) {
    lines.push(["Class", shorten(first.className, 80)]);
  }
  return lines;
}

function pictureOf(view, tree, width, height) {
  const root = tree.rootOf(view.module);
  const { boxes, own } = icicle(tree, root, width, height);
  const above = view.job.modules[view.module.parent];
  return {
    option: {
      series: [
        boxSeries(boxes, (box) => drawBox(view, tree, box)),
        { ...boxSeries(own, (box) => drawOwn(view, tree, box)), silent: true },
      ],
    },
    count: boxes.length,
    boxes,
    boxOf: (position) => boxes[position],
    neighbour: (position, key) => neighbour(boxes, position, key),
    describe: (position) => describe(view, tree, boxes[position].node),
    enter: (position) => {
      const { target } = boxes[position].node;
      view.set({ module: target === view.module && above && position === 0 ? above.name : target.name });
    },
    leave: () => above && view.set({ module: above.name }),
  };
}

function path(view) {
  const modules = view.job.pathTo(view.module);
  const steps = modules.map((module, i) => {
    const here = i === modules.length - 1;
    const step = {
      type: "button",
      "data-key": `path-${module.index}`,
      onclick: () => view.set({ module: module.name }),
    };
    const label = shorten(module.label, kPathLength);
    const title = module.name;
    const part = here ? h("span", { "aria-current": "page", title }, label) : h("button", { ...step, title }, label);
    return h("li", null, part);
  });
  return h("ol", null, ...steps);
}

export class TreeChart {
  constructor() {
    this.chart = new Chart(`Module tree. ${kHint}`, (width, height) => this.#draw(width, height));
    this.chart.element.classList.add("tree");
    this.frame = scrollBox("tree-scroll", "Module tree, all levels", this.chart.element);
    this.nothing = h("p", { class: "muted nothing" }, "No collectives here match the filters.");
    byId("tree").replaceChildren(h("p", { class: "muted hint" }, `${kHint} ${kColours}`), this.frame, this.nothing);
  }

  /** Draws the tree. The chart is as wide as its levels need: where the window is narrower, it scrolls. */
  #draw(width, height) {
    const picture = pictureOf(this.view, this.tree, width, height);
    this.chart.element.style.minWidth = `${widthOf(picture)}px`;
    return picture;
  }

  update(view) {
    const moved = this.view?.module.name !== view.module.name;
    const { own, inclusive } = view.sums;
    const { metric } = view.choice;
    this.view = view;
    if (this.likeness?.modules !== view.job.modules) {
      const { modules } = view.job;
      this.likeness = { modules, equal: likeness(view.job, true), alike: likeness(view.job, false) };
    }
    this.tree = new NodeTree(view.job, { own: own[metric], inclusive: inclusive[metric] }, this.likeness);
    const some = inclusive[metric][view.module.index] > 0;
    this.chart.element.hidden = !some;
    this.frame.hidden = !some;
    this.nothing.hidden = some;
    byId("path").replaceChildren(path(view));
    if (some) {
      this.chart.redraw(moved);
    }
  }
}
