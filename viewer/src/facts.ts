// facts.ts - what a result says of itself, in words: English, German, unit.
import { language } from "./labels";

export const factLabels: Record<string, [string, string, string?]> = {
  version: ["Flexion", "Flexion"],
  model_path: ["model file", "Modelldatei"],
  method: ["method", "Verfahren"],
  formulation: ["formulation", "Formulierung"],
  settings: ["settings", "Einstellungen"],
  created: ["run at", "gerechnet am"],
  "ledger/t": ["time reached", "erreichte Zeit", "s"],
  "ledger/seconds": ["computing time", "Rechenzeit", "s"],
  "ledger/energy_start": ["initial energy", "Anfangsenergie", "J"],
  "ledger/energy_end": ["final energy", "Endenergie", "J"],
  "ledger/dissipated": ["energy dissipated", "dissipierte Energie", "J"],
  "ledger/supplied": ["energy supplied", "zugeführte Energie", "J"],
  "ledger/lost_in_impacts": ["energy lost in impacts", "in Stößen verlorene Energie", "J"],
  "ledger/energy_drift": ["relative energy drift", "relative Energiedrift"],
  "ledger/position_residual": ["largest constraint residual", "größtes Residuum der Zwangsbedingungen"],
  "ledger/velocity_residual": ["largest velocity-level constraint residual", "größtes Residuum auf Geschwindigkeitsebene"],
  "ledger/dropped_residual": ["largest residual of redundant constraints", "größtes Residuum redundanter Zwangsbedingungen"],
  "ledger/step_error": ["error per step, relative to its displacement", "Fehler eines Schritts, bezogen auf seinen Weg"],
  "ledger/allocations_in_loop": ["allocations in the time loop", "Speicheranforderungen in der Zeitschleife"],
  "ledger/steps": ["steps", "Schritte"],
  "ledger/rejected": ["rejected steps", "verworfene Schritte"],
  "ledger/residuals": ["evaluations", "Auswertungen"],
  "ledger/linearisations": ["linearisations", "Linearisierungen"],
  "ledger/impacts": ["impacts of contacts", "Stöße von Kontakten"],
  "ledger/law_residual": ["largest residual of the law of contacts", "größtes Residuum des Kontaktgesetzes"],
  "ledger/law_missed": ["solutions in which the law of contacts is missed", "Lösungen, die das Kontaktgesetz verfehlen"],
  "ledger/overlap": ["deepest overlap of contacts", "tiefste Durchdringung von Kontakten", "m"],
  "ledger/jams": ["impulses without a collision", "Impulse ohne Zusammenstoß"],
  "ledger/factorisations": ["factorisations", "Faktorisierungen"],
  "ledger/solves": ["solutions of linear systems", "Lösungen linearer Systeme"],
  "ledger/newton_iterations": ["Newton iterations", "Newton-Iterationen"],
  "ledger/newton_failures": ["failed Newton iterations", "gescheiterte Newton-Iterationen"],
  "ledger/projections": ["projections", "Projektionen"],
  "ledger/singular_positions": ["singular positions", "singuläre Lagen"],
  "ledger/smallest_step": ["smallest step", "kleinster Schritt", "s"],
  "ledger/largest_step": ["largest step", "größter Schritt", "s"],
  "ledger/position_item": ["constraint with the largest residual", "Zwangsbedingung mit dem größten Residuum"],
  "ledger/velocity_item": ["constraint with the largest velocity-level residual", "Zwangsbedingung mit dem größten Residuum auf Geschwindigkeitsebene"],
  "ledger/stopped_by": ["stopped by the event", "beendet durch Ereignis"],
};

// Label and unit; null: it has none.
export function factLabel(name: string): [string, string] | null {
  const found = factLabels[name];
  return found ? [language === "de" ? found[1] : found[0], found[2] ?? ""] : null;
}
