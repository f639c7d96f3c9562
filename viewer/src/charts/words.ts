// words.ts - what diagrams say, in English and German.
import { language } from "../labels";

const english = {
  frequency: "Frequency", magnitude: "Magnitude", phase: "Phase", pole: "pole", poles: "poles", zero: "zero", zeros: "zeros",
  polesAndZeros: "Poles and zeros", locus: "Root locus", slowest: "rightmost:", crossings: "crossings", mode: "mode", forward: "forward", backward: "backward",
  critical: "critical speeds", orders: "Orders", step: "Response to a step", impulse: "Response to an impulse", time: "Time", numbers: "Numbers", measured: "measured", fitted: "fitted", band: "two standard errors", residual: "Residuals",
  howTo: "Point at a curve for its numbers; draw a rectangle to enlarge it, a double click shows all again; a click on a name hides its curve.",
};
type ChartWord = keyof typeof english;
const german: Record<ChartWord, string> = {
  frequency: "Frequenz", magnitude: "Betrag", phase: "Phase", pole: "Pol", poles: "Pole", zero: "Nullstelle", zeros: "Nullstellen",
  polesAndZeros: "Pole und Nullstellen", locus: "Wurzelortskurve", slowest: "am weitesten rechts:", crossings: "Durchgänge", mode: "Form", forward: "gleichläufig", backward: "gegenläufig",
  critical: "kritische Drehzahlen", orders: "Ordnungen", step: "Sprungantwort", impulse: "Impulsantwort", time: "Zeit", numbers: "Zahlen", measured: "gemessen", fitted: "angepasst", band: "zwei Standardfehler", residual: "Residuen",
  howTo: "Zeigen Sie auf eine Kurve für ihre Zahlen; ein gezogenes Rechteck vergrößert, ein Doppelklick zeigt wieder alles; ein Klick auf einen Namen blendet seine Kurve aus.",
};

export function chartWord(w: ChartWord): string {
  return (language === "de" ? german : english)[w];
}
