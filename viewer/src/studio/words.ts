// words.ts - what the workbench says beside the words of the page of results, in English and German.
import { language } from "../labels";

const english = {
  run: "Run", stop: "Stop", live: "Live", save: "Save", undo: "Undo", redo: "Redo", text: "Text", items: "Items", saved: "saved", blank: "new, still empty",
  unsaved: "not saved", checking: "checking …", fine: "No errors", errors: "{0} errors", oneError: "1 error", notes: "{0} notes", oneNote: "1 note",
  running: "t = {0} of {1} s", done: "Reached t = {0} s in {1} s, {2} steps. Result: {3}", failed: "The run ended: {0}",
  recovered: "A newer text of this model was found, which was never saved.", recover: "Take it", discard: "Throw it away",
  changed: "The file was changed on the disk.", reload: "Read it again", keep: "Keep this text",
  conflict: "The file was changed on the disk since it was read. Overwrite it?", over: "Overwrite", cancel: "Cancel",
  gone: "The program has ended: what you write is kept in this page alone. Start it again with flexion studio.", download: "Download the text",
  deleted: "The file was deleted on the disk.", notText: "The file has bytes that are no text (UTF-8). They are shown as \ufffd: to save writes that in their place.", noCopy: "What you write cannot be kept in a copy beside the file: a crash would lose it.",
  taken: "Another page has this model now: nothing can be written here any more.", takeBack: "Take it back", notYet: "Nothing to draw as long as the text has errors.", stale: "The picture is that of the last text without errors.",
  freedoms: "bodies: {0}, joints: {1}, degrees of freedom: {2}, {3}", values: "End values", theme: "Light or dark", other: "Deutsch",
  nothing: "Run the model: its signals are plotted here.", plots: "Plots", unbalanced: "The result fails its own ledger.",
  view: "View",
  toText: "In the text", removeItem: "Remove", value: "value", addKey: "add a key …", name: "name", addItem: "Add …", byDefault: "Somewhere", inPlane: "In the plane", inSpace: "In space", newModel: "A new model", byExample: "Begin with a template or an example, or with a file of this folder.", byHand: "Build it by clicks: bars, joints, springs, motors, beams.", byText: "Or write it: keys and values are completed (Ctrl-Space), and drawn while you type.", writeIt: "Write", widerText: "Wider text (drag, arrow keys)", widerPlots: "Wider plots (drag, arrow keys)", isRobot: "This is a robot file, which is edited as text. Open makes a model of it, whose items are listed here.", needsBody: "There is no body yet: add a bar or a ball first.", needsJoint: "There is no joint yet that turns or slides: add one first.", clickPlace: "Click its place in the picture, or move there by arrow keys, and Enter.",
  clickFirst: "Click where it begins, or arrow keys and Enter.", clickSecond: "Now where it ends.", gallery: "Examples", templates: "Begin with", findExample: "Search: crank, contact, motor …", examples: "All examples", closeIt: "Close",
  reset: "Reset", saveState: "Keep state", restore: "Back to it", record: "Record", pauseIt: "Pause", goOn: "Go on", factor: "{0}× real time", speedOf: "Speed", curves: "Live", besideIt: "One more beside it",
  howLive: "Pull bodies with the pointer, or the chosen one with Shift and arrows (Enter lets go). Arrow keys or a gamepad drive the first two inputs, space pauses, Escape ends.",
  analyse: "Analyse …", ownModes: "Modes about the start", ownModesAtRest: "Modes about the equilibrium", ownRest: "Equilibrium", findings: "Findings", frequency: "Frequency [Hz]", damping: "Damping ratio", rate: "Growth [1/s]", playMode: "Play this mode alone", movesMost: "Moves most",
  isUnsteady: "The motion is not steady: these are eigenvalues of the equations as they are at this instant.", isUnbalanced: "Forces are not in balance here: this is no rest about which anything swings. Take the modes about the equilibrium.",
  isTurning: "The axes rotate with the motion, by {0} rad/s: what swings across the axis with f in those of the ground is at |f ± {1}| Hz here.", areNeutral: "Eigenvalues that are zero (free directions and speeds): {0}.", areWithin: "Rounding of the stiffness leaves them below {0} 1/s.",
  areHidden: "More of them below {1} 1/s, zero or not, which rounding of the stiffness hides: {0}.", areUnproven: "Unproven modes (slow, or zeros that rounding has spread): {0}.", countedAll: "Eigenvalues in all: {0}, of them in the list: {1}.", countedBelow: "No other mode is below {0} Hz.", countedNone: "These are the slowest that were found, of at most {0} eigenvalues; they are not counted.",
  foundRest: "Forces are in balance to {0}; the model moved by {1} of its size.", foundPath: "Load factor {0} after {1} steps.", limitPoint: "Limit point at the load factor {0}: {1}.", branchPoint: "Bifurcation at the load factor {0}: {1}.", loadFactor: "Load factor", neverLost: "The equilibrium is lost under no load factor that was found.", neverSoft: "These loads change no stiffness: nothing buckles.",
  analysing: "analyses …",
  study: "Study …", sweepIt: "Sweep over a parameter", sweepOwn: "Sweep of the model", methodsOf: "Comparison of methods", response: "Frequency response", parameter: "Parameter", fromValue: "from", toValue: "to",
  howMany: "runs", toFirst: "The same run by each of them; differences are those to the first.", signalOf: "Signal", fromFrequency: "from [rad/s]", toFrequency: "to [rad/s]", noParameter: "A sweep varies a parameter, and this model has none: add one under Items, and write its name where a number stands.", notOneValue: "This is not one value: a bracket or a quote is open, or more follows.", wrongNumbers: "These are no numbers that make sense here.", doIt: "Begin",
  runsDone: "{0} of {1} runs", magnitude: "Magnitude", phase: "Phase", poles: "Poles", zeros: "Zeros", report: "Report", reported: "Report: {0}", keepRun: "Keep for comparison", dropRuns: "Forget what was kept", runLabel: "run {0}",
  import: "Open …", models: "Models of this folder", robots: "Robots of this folder (URDF, MJCF, SDF)", meshes: "Meshes of this folder (STL, OBJ, COLLADA)", noneHere: "There is none.", importing: "reads …", inertiaOf: "Inertia of its shapes",
  large: "{0} bodies: press Draw to see them.", drawIt: "Draw",
  col_steps: "steps", col_evaluations: "evaluations", col_time: "time", col_drift: "energy drift", col_difference: "largest difference",
  k_rod: "Bar (two clicks)", k_ball: "Ball", k_revolute: "Revolute joint", k_prismatic: "Prismatic joint", k_spherical: "Spherical joint", k_fixed: "Fixed joint", k_spring: "Spring",
  k_torque: "Motor on a joint", k_force: "Force", k_contact: "Contact with the ground", k_beam: "Flexible beam", k_parameter: "Parameter", k_input: "Input",
};
export type Word = keyof typeof english;
const german: Record<Word, string> = {
  run: "Rechnen", stop: "Stopp", live: "Live", save: "Sichern", undo: "Rückgängig", redo: "Wiederholen", text: "Text", items: "Teile", saved: "gesichert", blank: "neu, noch leer",
  unsaved: "nicht gesichert", checking: "prüft …", fine: "Keine Fehler", errors: "{0} Fehler", oneError: "1 Fehler", notes: "{0} Hinweise", oneNote: "1 Hinweis",
  running: "t = {0} von {1} s", done: "t = {0} s erreicht in {1} s, {2} Schritte. Ergebnis: {3}", failed: "Die Rechnung endete: {0}",
  recovered: "Es gibt einen neueren Text dieses Modells, der nie gesichert wurde.", recover: "Übernehmen", discard: "Verwerfen",
  changed: "Die Datei wurde auf der Platte geändert.", reload: "Neu lesen", keep: "Diesen Text behalten",
  conflict: "Die Datei wurde auf der Platte geändert, seit sie gelesen wurde. Überschreiben?", over: "Überschreiben", cancel: "Abbrechen",
  gone: "Das Programm ist beendet: was Sie schreiben, steht nur in dieser Seite. Starten Sie es neu mit flexion studio.", download: "Text herunterladen",
  deleted: "Die Datei wurde auf der Platte gelöscht.", notText: "Die Datei hat Bytes, die kein Text (UTF-8) sind. Sie stehen hier als \ufffd: Sichern schreibt das an ihre Stelle.", noCopy: "Was Sie schreiben, lässt sich nicht neben der Datei aufheben: bei einem Absturz ginge es verloren.",
  taken: "Eine andere Seite hat jetzt dieses Modell: hier lässt sich nichts mehr schreiben.", takeBack: "Zurückholen", notYet: "Nichts zu zeichnen, solange der Text Fehler hat.", stale: "Das Bild zeigt den letzten Text ohne Fehler.",
  freedoms: "Körper: {0}, Gelenke: {1}, Freiheitsgrade: {2}, {3}", values: "Endwerte", theme: "Hell oder dunkel", other: "English",
  nothing: "Rechnen Sie das Modell: hier stehen dann seine Signale.", plots: "Diagramme", unbalanced: "Das Ergebnis verletzt seine eigene Bilanz.",
  view: "Ansicht",
  toText: "Im Text", removeItem: "Entfernen", value: "Wert", addKey: "Schlüssel dazu …", name: "Name", addItem: "Hinzufügen …", byDefault: "Irgendwo", inPlane: "In der Ebene", inSpace: "Im Raum", newModel: "Ein neues Modell", byExample: "Beginnen Sie mit einer Vorlage oder einem Beispiel, oder mit einer Datei dieses Ordners.", byHand: "Bauen Sie es mit Klicks: Stäbe, Gelenke, Federn, Motoren, Balken.", byText: "Oder schreiben Sie es: Schlüssel und Werte werden ergänzt (Strg-Leertaste) und beim Tippen gezeichnet.", writeIt: "Schreiben", widerText: "Text breiter (ziehen, Pfeiltasten)", widerPlots: "Diagramme breiter (ziehen, Pfeiltasten)", isRobot: "Das ist eine Roboterdatei, die als Text bearbeitet wird. Öffnen macht daraus ein Modell, dessen Teile hier stehen.", needsBody: "Es gibt noch keinen Körper: fügen Sie zuerst einen Stab oder eine Kugel hinzu.", needsJoint: "Es gibt noch kein Dreh- oder Schubgelenk: fügen Sie zuerst eines hinzu.", clickPlace: "Klicken Sie seinen Ort im Bild, oder gehen Sie mit Pfeiltasten dorthin, und Eingabe.",
  clickFirst: "Klicken Sie, wo er beginnt, oder Pfeiltasten und Eingabe.", clickSecond: "Nun, wo er endet.", gallery: "Beispiele", templates: "Womit beginnen", findExample: "Suchen: crank, contact, motor …", examples: "Alle Beispiele", closeIt: "Schließen",
  reset: "Zum Anfang", saveState: "Merken", restore: "Dorthin zurück", record: "Aufnehmen", pauseIt: "Pause", goOn: "Weiter", factor: "{0}× Echtzeit", speedOf: "Geschwindigkeit", curves: "Live", besideIt: "Noch eine daneben",
  howLive: "Körper mit dem Zeiger ziehen, den gewählten auch mit Umschalt und Pfeilen (Eingabe lässt los). Pfeiltasten oder ein Gamepad steuern die ersten zwei Eingänge, Leertaste hält an, Escape beendet.",
  analyse: "Analysieren …", ownModes: "Eigenformen um den Start", ownModesAtRest: "Eigenformen um das Gleichgewicht", ownRest: "Gleichgewicht", findings: "Befunde", frequency: "Frequenz [Hz]", damping: "Dämpfungsgrad", rate: "Wachstum [1/s]", playMode: "Diese Form allein abspielen", movesMost: "Bewegt sich am meisten",
  isUnsteady: "Die Bewegung ist nicht stationär: das sind Eigenwerte der Gleichungen, wie sie in diesem Augenblick sind.", isUnbalanced: "Die Kräfte sind hier nicht im Gleichgewicht: das ist keine Ruhe, um die etwas schwingt. Nehmen Sie die Eigenformen um das Gleichgewicht.",
  isTurning: "Die Achsen drehen sich mit der Bewegung, mit {0} rad/s: was quer zur Achse mit f in denen des Bodens schwingt, ist hier bei |f ± {1}| Hz.", areNeutral: "Eigenwerte, die null sind (freie Richtungen und Geschwindigkeiten): {0}.", areWithin: "Die Rundung der Steifigkeit lässt sie unter {0} 1/s.",
  areHidden: "Weitere unter {1} 1/s, null oder nicht, die die Rundung der Steifigkeit verbirgt: {0}.", areUnproven: "Unbelegte Eigenformen (langsam, oder Nullen, die die Rundung verstreut hat): {0}.", countedAll: "Eigenwerte insgesamt: {0}, davon in der Liste: {1}.", countedBelow: "Keine weitere Eigenform ist unter {0} Hz.", countedNone: "Das sind die langsamsten, die gefunden wurden, von höchstens {0} Eigenwerten; sie sind nicht abgezählt.",
  foundRest: "Die Kräfte sind bis auf {0} im Gleichgewicht; das Modell hat sich um {1} seiner Größe bewegt.", foundPath: "Lastfaktor {0} nach {1} Schritten.", limitPoint: "Durchschlagspunkt beim Lastfaktor {0}: {1}.", branchPoint: "Verzweigung beim Lastfaktor {0}: {1}.", loadFactor: "Lastfaktor", neverLost: "Das Gleichgewicht geht unter keinem gefundenen Lastfaktor verloren.", neverSoft: "Diese Lasten ändern keine Steifigkeit: nichts knickt.",
  analysing: "analysiert …",
  study: "Studie …", sweepIt: "Über einen Parameter", sweepOwn: "Sweep des Modells", methodsOf: "Verfahren vergleichen", response: "Frequenzgang", parameter: "Parameter", fromValue: "von", toValue: "bis",
  howMany: "Rechnungen", toFirst: "Dieselbe Rechnung mit jedem; Unterschiede sind die zum ersten.", signalOf: "Signal", fromFrequency: "von [rad/s]", toFrequency: "bis [rad/s]", noParameter: "Ein Sweep verändert einen Parameter, und dieses Modell hat keinen: fügen Sie unter Teile einen hinzu, und schreiben Sie seinen Namen an die Stelle einer Zahl.", notOneValue: "Das ist nicht ein Wert: eine Klammer oder ein Anführungszeichen ist offen, oder es folgt noch etwas.", wrongNumbers: "Das sind keine Zahlen, die hier Sinn haben.", doIt: "Beginnen",
  runsDone: "{0} von {1} Rechnungen", magnitude: "Betrag", phase: "Phase", poles: "Pole", zeros: "Nullstellen", report: "Bericht", reported: "Bericht: {0}", keepRun: "Zum Vergleich behalten", dropRuns: "Behaltene vergessen", runLabel: "Rechnung {0}",
  import: "Öffnen …", models: "Modelle dieses Ordners", robots: "Roboter dieses Ordners (URDF, MJCF, SDF)", meshes: "Netze dieses Ordners (STL, OBJ, COLLADA)", noneHere: "Es gibt keine.", importing: "liest …", inertiaOf: "Trägheit seiner Formen",
  large: "{0} Körper: mit Zeichnen sind sie zu sehen.", drawIt: "Zeichnen",
  col_steps: "Schritte", col_evaluations: "Auswertungen", col_time: "Zeit", col_drift: "Drift der Energie", col_difference: "größter Unterschied",
  k_rod: "Stab (zwei Klicks)", k_ball: "Kugel", k_revolute: "Drehgelenk", k_prismatic: "Schubgelenk", k_spherical: "Kugelgelenk", k_fixed: "Feste Verbindung", k_spring: "Feder",
  k_torque: "Motor an einem Gelenk", k_force: "Kraft", k_contact: "Kontakt mit dem Boden", k_beam: "Elastischer Balken", k_parameter: "Parameter", k_input: "Eingang",
};

export const words = { english, german };

export function word(w: Word, ...values: (string | number)[]): string {
  return (language === "de" ? german : english)[w].replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)]));
}

// How a run ended, as the library says it.
export const statuses: Record<string, string> = {
  "done": "fertig", "out of memory": "kein Speicher mehr", "a file could not be read or written": "eine Datei lässt sich nicht lesen oder schreiben",
  "the model is wrong": "das Modell ist falsch", "not supported yet": "noch nicht unterstützt", "an argument is wrong": "ein Argument ist falsch",
  "this system cannot do what the method needs": "dieses System kann nicht, was das Verfahren braucht", "the iteration did not converge": "die Iteration konvergiert nicht",
  "a matrix is singular": "eine Matrix ist singulär", "the step became too small": "der Schritt wurde zu klein", "a value is not finite": "ein Wert ist nicht endlich",
  "too many steps": "zu viele Schritte", "the constraints cannot be satisfied": "die Zwangsbedingungen lassen sich nicht erfüllen", "interrupted": "unterbrochen",
  "an event ended the motion": "ein Ereignis hat die Bewegung beendet",
};

export const statusOf = (text: string) => (language === "de" ? statuses[text] ?? text : text);
