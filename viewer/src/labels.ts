// labels.ts - what the page says, in English and German.

const english = {
  play: "Play", pause: "Pause", start: "To the start", end: "To the end", time: "Time",
  speed: "Speed", loop: "Repeat", plots: "Plots", view: "View", ledger: "Ledger", model: "Model", analyses: "Analyses",
  add: "Add a plot", remove: "Remove this plot", signal: "Signal", against: "against",
  follow: "Follow", nobody: "nothing", traces: "Traces", shown: "Show", joints: "Joints",
  frames: "Body axes", arrows: "Forces as arrows", grid: "Ground grid", reset: "Reset the view",
  overlay: "Overlaid", beside: "Side by side", light: "Light", dark: "Dark", other: "Deutsch",
  bending: "Deformation", colour: "Colour by", displacement: "Displacement", mises: "Von Mises stress",
  modes: "Mode shapes", computed: "as computed", mode: "{0}: mode {1}", modeAt: "mode {0}: {1} Hz", notes: "Notes",
  notFinite: "Some values are not finite: they are left out.",
  fromX: "From x", fromY: "From y", fromZ: "From z", slant: "Slanting",
  entry: "Entry", value: "Value", events: "Events", measures: "Metrics", run: "Run",
  incomplete: "The run did not reach its end: what was computed is shown.",
  thinned: "{0} of {1} rows are frames of this page.",
  few: "{0} rows were stored: the display interpolates linearly between them.",
  oneOf: "Of {1} particles one in {0} is drawn.",
  noCard: "(The processor draws; a graphics card would draw more.)", fewFrames: "{0} of {1} frames of particles are in this page.",
  coarser: "Meshes are drawn with {0} of {1} points.",
  noMotion: "This result has no motion of bodies to draw: see the plots.",
  noWebgl: "This browser offers no WebGL: the plots still work.",
  noResult: "There is no result in this page.",
  notBalanced: "The result fails its own ledger.",
  help: "Keys and pointer", close: "Close", names: "Names", parts: "Bodies", search: "Search bodies and traces", showAll: "Show all",
  hideAll: "Hide all", hide: "Hide or show", more: "and {0} more", arrowLength: "Length of the arrows", find: "Search signals",
  noArrows: "For arrows of forces ask for signals such as pin.reaction or spring.value in the outputs of the model.",
  contacts: "Contacts", slides: "slides", sticks: "sticks", depth: "depth", depthLength: "Length of depths", asTheyAre: "depths as they are",
  copyOf: "Canvas with the moving mechanism", noModel: "The result does not contain its model.",
};
export type Label = keyof typeof english;

const german: Record<Label, string> = {
  play: "Abspielen", pause: "Anhalten", start: "Zum Anfang", end: "Zum Ende", time: "Zeit",
  speed: "Geschwindigkeit", loop: "Wiederholen", plots: "Diagramme", view: "Ansicht", ledger: "Bilanz", model: "Modell", analyses: "Analysen",
  add: "Diagramm hinzufügen", remove: "Dieses Diagramm entfernen", signal: "Signal", against: "über",
  follow: "Folgen", nobody: "keinem Körper", traces: "Bahnkurven", shown: "Zeigen", joints: "Gelenke",
  frames: "Körperachsen", arrows: "Kräfte als Pfeile", grid: "Bodengitter", reset: "Ansicht zurücksetzen",
  overlay: "Überlagert", beside: "Nebeneinander", light: "Hell", dark: "Dunkel", other: "English",
  bending: "Verformung", colour: "Farbe nach", displacement: "Verschiebung", mises: "Von-Mises-Spannung",
  modes: "Eigenformen", computed: "wie berechnet", mode: "{0}: Eigenform {1}", modeAt: "Eigenform {0}: {1} Hz", notes: "Hinweise",
  notFinite: "Einige Werte sind nicht endlich: sie fehlen in der Darstellung.",
  fromX: "Von x", fromY: "Von y", fromZ: "Von z", slant: "Schräg",
  entry: "Eintrag", value: "Wert", events: "Ereignisse", measures: "Kennzahlen", run: "Simulation",
  incomplete: "Die Simulation hat ihr Ende nicht erreicht: gezeigt wird, was berechnet ist.",
  thinned: "{0} von {1} Zeilen sind als Bilder in dieser Seite.",
  few: "{0} Zeilen wurden gespeichert: dazwischen ist linear interpoliert.",
  oneOf: "Von {1} Teilchen ist eines von {0} gezeichnet.",
  noCard: "(Es zeichnet der Prozessor; eine Grafikkarte zeigte mehr.)", fewFrames: "{0} von {1} Bildern der Teilchen sind in dieser Seite.",
  coarser: "Netze sind mit {0} von {1} Punkten gezeichnet.",
  noMotion: "Dieses Ergebnis hat keine Bewegung von Körpern zu zeigen: siehe Diagramme.",
  noWebgl: "Dieser Browser bietet kein WebGL: die Diagramme gehen trotzdem.",
  noResult: "In dieser Seite ist kein Ergebnis.",
  notBalanced: "Das Ergebnis verletzt seine eigene Bilanz.",
  help: "Tasten und Zeiger", close: "Schließen", names: "Namen", parts: "Körper", search: "Körper und Bahnkurven suchen", showAll: "Alle zeigen",
  hideAll: "Alle ausblenden", hide: "Ausblenden oder zeigen", more: "und {0} weitere", arrowLength: "Länge der Pfeile", find: "Signale suchen",
  noArrows: "Für Pfeile der Kräfte braucht es Signale wie pin.reaction oder spring.value in den Ausgaben des Modells.",
  contacts: "Kontakte", slides: "gleitet", sticks: "haftet", depth: "Tiefe", depthLength: "Länge der Eindringung", asTheyAre: "Eindringung wahr",
  copyOf: "Fläche mit dem bewegten Mechanismus", noModel: "Das Ergebnis enthält sein Modell nicht.",
};

export const labels = { english, german };

let table: Record<Label, string> = english;
export let language = "en";

export function setLanguage(to: string): void {
  language = to === "de" ? "de" : "en";
  table = language === "de" ? german : english;
  document.documentElement.lang = language;
}

// A number as text, with the decimal sign of the language.
export function decimal(text: string): string {
  return language === "de" ? text.replace(".", ",") : text;
}

export function say(label: Label, ...values: (string | number)[]): string {
  return table[label].replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)]));
}
