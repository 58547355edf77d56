// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

import { kMetricTitles } from "../amounts.js";
import { boxLabel, kNameStyle, kNumberStyle, kPadding } from "./box_label.js";
import { Chart } from "./chart.js";
import { byId, h } from "../dom.js";
import { icicle, neighbour } from "./icicle.js";
import { kindColor, mix, textOn, themeColor, themeFont } from "./palette.js";
import { metricText, shareText, shorten, wholeText } from "../text.js";

/** The chart of the module tree. */

const kHint =
  "The line on top is the shown module, the boxes are the modules in it. Click a box to show only its subtree, and the " +
  "line to go back up. Keys: arrows move, Enter opens, Backspace goes up.";
const kTallEnough = 13; // minimum height in pixels for a name
const kPale = 0.62;
const kPathLength = 40;
const kOwnWidth = 44; // pixels of the area for a module's exclusive amount

/** Returns the colour of a module's box, which is paler if the module has no amount of its own. */
function fillOf(view, module, kind) {
  const own = view.sums.own[view.choice.metric][module.index] > 0;
  return own ? kindColor(kind) : mix(kindColor(kind), themeColor("card"), kPale);
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
function segmentsOf(view, box) {
  const shape = shapeOf(box);
  let { x } = shape;
  return view.sums.kindsOf(box.module).map(({ name, share }) => {
    const width = shape.width * share;
    x += width;
    return { x: x - width, width, fill: fillOf(view, box.module, name) };
  });
}

function drawSegment(shape, { x, width, fill }) {
  return { type: "rect", silent: true, shape: { ...shape, x, width }, style: { fill } };
}

/** Returns the text of a box and its place in the box; no text if none fits. */
function drawLabel(view, box, segments) {
  const value = view.sums.inclusive[view.choice.metric][box.module.index];
  const isTall = box.height >= kTallEnough;
  const label = isTall ? boxLabel(box.module.label, metricText(view.choice.metric, value), segments) : null;
  if (!label) {
    return { textContent: { type: "text", silent: true, style: { text: "" } } };
  }
  const style = { fill: textOn(label.segment.fill), fontFamily: themeFont() };
  return {
    textContent: {
      type: "text",
      silent: true,
      style: {
        text: `{name|${plain(label.name)}}${label.number === "" ? "" : `  {number|${label.number}}`}`,
        align: "left",
        verticalAlign: "middle",
        rich: { name: { ...style, ...kNameStyle }, number: { ...style, ...kNumberStyle } },
      },
    },
    textConfig: { position: [label.segment.x - shapeOf(box).x + kPadding, shapeOf(box).height / 2] },
  };
}

/** Draws the outline of a box with its label. The outline is the shape that reacts to the pointer. */
function drawFrame(view, box, segments) {
  return {
    type: "rect",
    shape: shapeOf(box),
    z2: 1,
    style: { fill: "transparent" },
    emphasis: { style: { fill: "transparent", stroke: themeColor("text"), lineWidth: 1.5 } },
    ...drawLabel(view, box, segments),
  };
}

/**
 * Draws a box. ECharts reuses the previous child at each index and keeps properties that the new one lacks: the frame
 * must stay first.
 */
function drawBox(view, box) {
  const segments = segmentsOf(view, box);
  const parts = segments.map((segment) => drawSegment(shapeOf(box), segment));
  return { type: "group", children: [drawFrame(view, box, segments), ...parts] };
}

/** Draws the area next to a module's children that shows its exclusive amount. */
function drawOwn(box) {
  const style = {
    text: box.height < kTallEnough ? "" : "own",
    fill: themeColor("muted"),
    fontFamily: themeFont(),
    fontSize: 11,
  };
  return {
    type: "rect",
    shape: { ...shapeOf(box), width: Math.min(box.width - 1, kOwnWidth) },
    style: { fill: themeColor("sunk") },
    textContent: { type: "text", style },
    textConfig: { position: "insideLeft", distance: 7 },
  };
}

function boxSeries(boxes, draw) {
  return {
    type: "custom",
    coordinateSystem: "none",
    data: boxes.map((_, position) => position),
    renderItem: (_, api) => draw(boxes[api.value(0)]),
  };
}

function describe(view, module) {
  const { choice, sums } = view;
  const value = sums.inclusive[choice.metric][module.index];
  const whole = sums.inclusive[choice.metric][view.module.index];
  const lines = [
    [shorten(module.name, 200), ""],
    [kMetricTitles[choice.metric], metricText(choice.metric, value)],
    ["Own", metricText(choice.metric, sums.own[choice.metric][module.index])],
    ["Share", shareText(value, whole)],
    ["Calls", wholeText(module.calls.reduce((a, b) => a + b, 0))],
  ];
  const kinds = sums.kindsOf(module).map(({ name, share }) => [name, shareText(share, 1)]);
  lines.push(...(kinds.length > 1 ? kinds : []));
  if (module.className !== "") {
    lines.push(["Class", shorten(module.className, 80)]);
  }
  return lines;
}

function pictureOf(view, width, height) {
  const { boxes, own } = icicle(view.job, view.sums.inclusive[view.choice.metric], view.module, width, height);
  const above = view.job.modules[view.module.parent];
  return {
    option: {
      series: [boxSeries(boxes, (box) => drawBox(view, box)), { ...boxSeries(own, drawOwn), silent: true }],
    },
    count: boxes.length,
    boxOf: (position) => boxes[position],
    neighbour: (position, key) => neighbour(boxes, position, key),
    describe: (position) => describe(view, boxes[position].module),
    enter: (position) => {
      const { module } = boxes[position];
      view.set({ module: module === view.module && above ? above.name : module.name });
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
    this.chart = new Chart(`Module tree. ${kHint}`, (width, height) => pictureOf(this.view, width, height));
    this.chart.element.classList.add("tree");
    this.nothing = h("p", { class: "muted nothing" }, "No collectives here match the filters.");
    byId("tree").replaceChildren(
      h("p", { class: "muted hint" }, `${kHint} Colours are kinds, as above. Pale modules only have children.`),
      this.chart.element,
      this.nothing,
    );
  }

  update(view) {
    const moved = this.view?.module.name !== view.module.name;
    this.view = view;
    const some = view.sums.inclusive[view.choice.metric][view.module.index] > 0;
    this.chart.element.hidden = !some;
    this.nothing.hidden = some;
    byId("path").replaceChildren(path(view));
    if (some) {
      this.chart.redraw(moved);
    }
  }
}
