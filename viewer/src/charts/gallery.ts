// gallery.ts - all diagrams of the tables in the page, by analysis, with their numbers below.
import { decimal } from "../labels";
import { make } from "../panels";
import { diagrams } from "./diagrams";
import { groupsOf, type Table } from "./tables";
import { chartWord } from "./words";

const MOST_ROWS = 200;

function numbers(t: Table): HTMLElement {
  const head = make("tr", {}, ...t.columns.map((c) => make("th", { className: "number", textContent: c })));
  const rows = t.rows.slice(0, MOST_ROWS).map((r) => make("tr", {}, ...r.map((v) => make("td", { className: "number", textContent: v === null ? "" : decimal(String(Number(v.toPrecision(6)))) }))));
  const more = t.rows.length > MOST_ROWS ? [make("p", { className: "hint", textContent: `+ ${t.rows.length - MOST_ROWS}` })] : [];
  return make("details", {}, make("summary", { textContent: `${chartWord("numbers")}: ${t.name} (${t.rows.length})` }), make("div", { className: "wide" }, make("table", {}, head, ...rows)), ...more);
}

export function galleryPanel(tables: Table[]): HTMLElement {
  const box = make("div", { id: "charts" }, make("p", { className: "hint", textContent: chartWord("howTo") }));
  const groups = make("div", { className: "groups" });
  groupsOf(tables).forEach((g, k) => {
    const drawn = diagrams(`chart${k}`, g);
    groups.append(make("section", { className: drawn.length > 2 ? "group broad" : "group" }, make("h2", { textContent: g.main.name }),
      make("div", { className: "charts" }, ...drawn), ...[g.main, ...g.with].map(numbers)));
  });
  box.append(groups);
  return box;
}
