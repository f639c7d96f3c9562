// help.ts - what keys and the pointer do.
import { language, say } from "./labels";
import { make } from "./panels";

// Keys, English, German.
const keys: [string, string, string][] = [
  ["Space", "play, pause", "abspielen, anhalten"],
  ["\u2190 \u2192", "step; with Shift ten times as far", "schrittweise; mit Umschalt zehnmal so weit"],
  ["Home End", "to the start, to the end", "an den Anfang, ans Ende"],
  ["+ -", "faster, slower", "schneller, langsamer"],
  ["L", "repeat", "wiederholen"],
  ["R S", "reset the view, view from aslant", "Ansicht zurücksetzen, schräg ansehen"],
  ["X Y Z", "view along an axis", "entlang einer Achse ansehen"],
  ["N", "names of bodies", "Namen der Körper"],
  ["J", "joints and ground", "Gelenke und Boden"],
  ["A", "forces as arrows", "Kräfte als Pfeile"],
  ["C", "contacts: where surfaces touch", "Kontakte: wo sich Flächen berühren"],
  ["F", "follow the selected body", "dem gewählten Körper folgen"],
  ["H", "hide the selected body; with Shift show all", "den gewählten Körper ausblenden; mit Umschalt alle zeigen"],
  ["/", "search bodies", "Körper suchen"],
  ["?", "these keys", "diese Tasten"],
];
const pointer: [string, string, string][] = [
  ["drag", "rotate", "drehen"], ["right button", "move", "verschieben"], ["wheel", "zoom", "vergrößern"],
  ["click", "select a body", "einen Körper wählen"], ["double click", "follow it", "ihm folgen"],
];
const german: Record<string, string> = {
  Space: "Leertaste", "Home End": "Pos1 Ende", drag: "ziehen", "right button": "rechte Taste", wheel: "Rad", click: "klicken", "double click": "doppelt klicken",
};

export function helpPanel(close: () => void): HTMLElement {
  const row = ([key, english, deutsch]: [string, string, string]) => make("tr", {},
    make("td", {}, make("kbd", { textContent: language === "de" ? german[key] ?? key : key })),
    make("td", { textContent: language === "de" ? deutsch : english }));
  return make("div", {}, make("button", { textContent: "\u00d7", title: say("close"), onclick: close }),
    make("h2", { textContent: say("help") }), make("table", {}, ...keys.map(row), ...pointer.map(row)));
}
