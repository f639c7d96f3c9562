// facts.ts - what a result says of itself, in words: English, German, unit.
import { language } from "./labels";

const labels: Record<string, [string, string, string?]> = {
  version: ["Flexion", "Flexion"],
  model_path: ["model file", "Modelldatei"],
  method: ["method", "Verfahren"],
  formulation: ["formulation", "Formulierung"],
  settings: ["settings", "Einstellungen"],
  created: ["run at", "gerechnet am"],
  "ledger/t": ["time reached", "erreichte Zeit", "s"],
  "ledger/seconds": ["computing time", "Rechenzeit", "s"],
  "ledger/energy_start": ["energy at the start", "Energie am Anfang", "J"],
  "ledger/energy_end": ["energy at the end", "Energie am Ende", "J"],
  "ledger/dissipated": ["energy dissipated", "zerstreute Energie", "J"],
  "ledger/supplied": ["energy supplied", "zugeführte Energie", "J"],
  "ledger/energy_drift": ["energy drift, in proportion", "Energiefehler, im Verhältnis"],
  "ledger/position_residual": ["largest residual of constraints", "größter Rest der Zwangsbedingungen"],
  "ledger/velocity_residual": ["largest residual of their rates", "größter Rest ihrer Ableitungen"],
  "ledger/dropped_residual": ["largest residual of redundant constraints", "größter Rest überzähliger Bedingungen"],
  "ledger/allocations_in_loop": ["allocations in the time loop", "Speicheranforderungen in der Zeitschleife"],
  "ledger/steps": ["steps", "Schritte"],
  "ledger/rejected": ["rejected steps", "verworfene Schritte"],
  "ledger/residuals": ["evaluations", "Auswertungen"],
  "ledger/linearisations": ["linearisations", "Linearisierungen"],
  "ledger/factorisations": ["factorisations", "Zerlegungen"],
  "ledger/solves": ["solutions of linear systems", "Lösungen linearer Systeme"],
  "ledger/newton_iterations": ["Newton iterations", "Newton-Iterationen"],
  "ledger/newton_failures": ["Newton failures", "Fehlschläge von Newton"],
  "ledger/projections": ["projections", "Projektionen"],
  "ledger/singular_positions": ["singular positions", "singuläre Lagen"],
  "ledger/smallest_step": ["smallest step", "kleinster Schritt", "s"],
  "ledger/largest_step": ["largest step", "größter Schritt", "s"],
  "ledger/position_item": ["constraint with the largest residual", "Bedingung mit dem größten Rest"],
  "ledger/velocity_item": ["constraint with the largest residual of its rate", "Bedingung mit dem größten Rest der Ableitung"],
  "ledger/stopped_by": ["stopped by the event", "angehalten vom Ereignis"],
};

// Label and unit; null: it has none.
export function factLabel(name: string): [string, string] | null {
  const found = labels[name];
  return found ? [language === "de" ? found[1] : found[0], found[2] ?? ""] : null;
}
