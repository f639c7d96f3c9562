// hands.ts - keys and a gamepad that drive what is live: the first input and the second one, less or more.

const keys: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], a: [0, -1], d: [0, 1], s: [1, -1], w: [1, 1] };
const STEPS = 20; // of a stick, to either side: it trembles

export class Hands {
  private held = new Set<string>();
  private padded = [0, 0];
  private over = false;

  // inputs: how many there are; set: input i to a part of its range, -1 to 1, 0 as the model has it.
  constructor(private inputs: number, private set: (i: number, part: number) => void, private pause: () => void) {
    document.addEventListener("keydown", this.down);
    document.addEventListener("keyup", this.up);
    requestAnimationFrame(this.poll);
  }

  close(): void {
    this.over = true;
    document.removeEventListener("keydown", this.down);
    document.removeEventListener("keyup", this.up);
  }

  private down = (e: KeyboardEvent): void => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || target.isContentEditable || target.matches("input, textarea, select")) return;
    if (e.key === " " && !target.matches("button")) {
      this.pause();
      e.preventDefault();
    }
    if (!(e.key in keys) || this.inputs <= keys[e.key][0]) return;
    if (!this.held.has(e.key)) this.set(...keys[e.key]);
    this.held.add(e.key);
    e.preventDefault();
  };

  private up = (e: KeyboardEvent): void => {
    if (!this.held.delete(e.key)) return;
    const [i] = keys[e.key], other = [...this.held].find((k) => keys[k][0] === i);
    this.set(i, other ? keys[other][1] : 0);
  };

  private poll = (): void => {
    if (this.over) return;
    const pad = navigator.getGamepads?.().find((p) => p);
    [0, 1].forEach((i) => {
      const x = pad ? Math.round(STEPS * (pad.axes[i] ?? 0)) / STEPS : 0;
      if (x !== this.padded[i]) this.set(i, i === 1 ? -x : x); // forward is up
      this.padded[i] = x;
    });
    requestAnimationFrame(this.poll);
  };
}
