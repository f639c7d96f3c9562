// import.ts - what lies in the model's folder: another model is opened, a robot becomes a model of its own, a mesh the shape of a
// new body.
import { make } from "../panels";
import { server } from "./server";
import { word } from "./words";

// model, robot, mesh: one was chosen, by its name. here: the one that is open.
export async function askImport(here: string, model: (name: string) => void, robot: (name: string) => void, mesh: (name: string) => void): Promise<void> {
  const dialog = document.getElementById("dialog") as HTMLDialogElement, files = await server.folder();
  const list = (wanted: RegExp, act: (name: string) => void) => make("div", { className: "tree" }, ...files.filter((f) => wanted.test(f) && f !== here).sort().map((f) => {
    const b = make("button", { textContent: f, onclick: () => { dialog.close(); act(f); } });
    b.dataset.file = f;
    return b;
  }));
  const models = list(/\.(ya?ml|json)$/, model), robots = list(/\.(urdf|xml|sdf)$/, robot), meshes = list(/\.(stl|obj|dae)$/, mesh);
  const part = (title: string, box: HTMLElement) => [make("h2", { textContent: title }), box.childElementCount > 0 ? box : make("p", { className: "empty", textContent: word("noneHere") })];
  dialog.oncancel = null;
  dialog.replaceChildren(...part(word("models"), models), ...part(word("robots"), robots), ...part(word("meshes"), meshes), make("div", { className: "row" }, make("button", { textContent: word("closeIt"), onclick: () => dialog.close() })));
  dialog.showModal();
}
