// welcome.ts - what there is to begin with, over the picture of a model that says nothing yet.
import { make } from "../panels";
import { word, type Word } from "./words";

export interface Beginning { gallery: () => void; open: () => void; build: (planar: boolean) => void; write: () => void }

export function welcome(begin: Beginning): HTMLElement[] {
  const button = (name: Word, act: () => void) => make("button", { id: `begin-${name}`, textContent: word(name), onclick: act });
  const way = (what: Word, ...buttons: HTMLElement[]) => make("section", {}, make("p", { textContent: word(what) }), make("div", { className: "row" }, ...buttons));
  return [make("h2", { textContent: word("newModel") }),
    way("byExample", button("gallery", begin.gallery), button("import", begin.open)),
    way("byHand", button("inSpace", () => begin.build(false)), button("inPlane", () => begin.build(true))),
    way("byText", button("writeIt", begin.write))];
}
