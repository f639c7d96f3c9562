// gallery.ts - templates to begin with, and all examples with their pictures, drawn when they come into sight.
import { take } from "../data";
import { make } from "../panels";
import type { Picture } from "./picture";
import { server } from "./server";
import { word } from "./words";

const LETTER = 9; // pixels, of lines that stand for a picture

declare const EXAMPLES: Record<string, string>;

// Examples that stand for a kind of mechanism.
const templates: [string, string, string][] = [
  ["Pendulum", "Pendel", "pendulum.yaml"], ["Four-bar linkage", "Viergelenk", "four_bar.yaml"], ["Slider crank", "Schubkurbel", "slider_crank.yaml"],
  ["Robot arm", "Roboterarm", "seven_axis_arm.yaml"], ["Crane", "Kran", "tower_crane.yaml"], ["Suspension", "Radaufhängung", "wishbone.yaml"], ["Car", "Auto", "lane_change.yaml"], ["Flexible beam", "Elastischer Balken", "bending_pendulum.yaml"],
];

// What is of the folder of the examples alone: the way to the schema, and what tests compare.
const begun = (text: string) => text.replace(/^# (yaml-language-server|curve|reference|check): .*\n/gm, "");

const titleOf = (text: string) => /^title:\s*(.*?)\s*(#.*)?$/m.exec(text)?.[1].replace(/^["']|["']$/g, "") ?? "";

// opened: an example was chosen; closed: the picture is the model's again.
export function showGallery(picture: Picture, opened: (name: string, text: string) => void, closed: () => void): void {
  const dialog = document.getElementById("dialog") as HTMLDialogElement, grid = make("div", { className: "gallery" }), first = make("div", { className: "gallery", id: "templates" });
  let over = false;
  const cards: [HTMLElement, string][] = [];
  const waiting = new Map<Element, () => Promise<void>>(), seen = new Set<Element>(); // in their order; those in sight are drawn
  let working = false;
  const close = () => { over = true; watch.disconnect(); dialog.close(); closed(); };
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (e.isIntersecting) seen.add(e.target);
      else seen.delete(e.target);
    }
    if (!working) void work();
  }, { root: dialog });
  const card = (name: string, label: string) => {
    const text = EXAMPLES[name], canvas = make("canvas", { width: 200, height: 130 });
    const b = make("button", { className: "card", onclick: () => { close(); opened(name, begun(text)); } }, canvas, make("strong", { textContent: label }), make("span", { textContent: titleOf(text) && titleOf(text) !== label ? titleOf(text) : name }));
    b.dataset.name = name;
    cards.push([b, `${name} ${label} ${text}`.toLowerCase()]);
    waiting.set(b, () => draw(picture, name, canvas));
    watch.observe(b);
    return b;
  };
  const work = async () => {
    working = true;
    for (let next: Element | undefined; !over && (next = [...waiting.keys()].find((b) => seen.has(b)));) {
      const drawIt = waiting.get(next)!;
      waiting.delete(next);
      await drawIt().catch(() => {});
    }
    working = false;
  };
  for (const [english, german, name] of templates) if (EXAMPLES[name]) first.append(card(name, document.documentElement.lang === "de" ? german : english));
  for (const [name, text] of Object.entries(EXAMPLES)) grid.append(card(name, titleOf(text) || name));
  // Those with all of these words, in the title or the text.
  const find = make("input", { type: "search", id: "findexample", placeholder: word("findExample") });
  find.setAttribute("aria-label", word("findExample"));
  find.oninput = () => {
    const words = find.value.toLowerCase().split(/\s+/);
    for (const [b, text] of cards) b.hidden = !words.every((w) => text.includes(w));
  };
  dialog.replaceChildren(make("div", { className: "row top" }, make("h2", { textContent: word("gallery") }), find, make("button", { textContent: word("closeIt"), onclick: close })),
    make("h2", { textContent: word("templates") }), first, make("h2", { textContent: word("examples") }), grid);
  dialog.oncancel = close;
  dialog.showModal();
}

async function draw(picture: Picture, name: string, to: HTMLCanvasElement): Promise<void> {
  const text = EXAMPLES[name], checked = await server.check(text, `example:${name}`), r = checked.data ? (await take(checked.data)).results[0] : null;
  if (!r?.scene) {
    drawText(text, to);
    return;
  }
  picture.show(r);
  picture.stage?.look("start");
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const from = document.getElementById("canvas") as HTMLCanvasElement, g = to.getContext("2d")!, k = Math.min(to.width / from.width, to.height / from.height);
  g.drawImage(from, 0.5 * (to.width - k * from.width), 0.5 * (to.height - k * from.height), k * from.width, k * from.height);
  to.dataset.drawn = "true";
}

// Of equations and particles alone there is no mechanism: their lines are the picture.
function drawText(text: string, to: HTMLCanvasElement): void {
  const g = to.getContext("2d")!, style = getComputedStyle(document.documentElement), lines = text.split("\n").filter((l) => l.trim() && !/^\s*#/.test(l));
  const from = Math.max(lines.findIndex((l) => /^(equations|particles):/.test(l)), 0);
  g.font = `${LETTER}px ui-monospace, "DejaVu Sans Mono", monospace`;
  lines.slice(from, from + Math.floor(to.height / (1.4 * LETTER)) - 1).forEach((line, i) => {
    const key = /^\s*[\w'()]+:/.exec(line)?.[0] ?? "", y = 1.4 * LETTER * (i + 1);
    g.fillStyle = style.getPropertyValue("--key");
    g.fillText(key, 8, y);
    g.fillStyle = style.getPropertyValue("--ink");
    g.fillText(line.slice(key.length), 8 + g.measureText(key).width, y);
  });
  to.dataset.drawn = "true";
}
