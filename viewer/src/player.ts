// player.ts - the time that is shown, and how it runs.

export class Player {
  time: number;
  playing = false;
  speed = 1; // seconds of the motion a second
  loop = true;
  private last = 0;
  private part: [number, number] | null = null; // that is played again and again
  private listeners: (() => void)[] = [];

  constructor(readonly from: number, readonly to: number) {
    this.time = from;
    this.speed = niceSpeed((to - from) / 10);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(t: number): void {
    if (this.part && (t < this.part[0] || t >= this.part[1])) this.part = null;
    this.time = Math.min(Math.max(Number.isFinite(t) ? t : this.from, this.from), this.to);
    this.changed();
  }

  // A part alone, from its begin on, until one goes elsewhere.
  repeat(from: number, to: number): void {
    this.part = [from, to];
    this.seek(from);
    if (!this.playing) this.toggle();
  }

  toggle(): void {
    if (!this.playing && this.time >= this.to) this.time = this.from;
    this.playing = !this.playing && this.to > this.from;
    this.last = performance.now();
    this.changed();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // after a pause of the page itself the motion goes on where it was
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    const [from, to] = this.part ?? [this.from, this.to];
    let t = this.time + seconds * this.speed;
    if (t >= to) {
      if (this.loop || this.part) t = from + (t - to) % (to - from);
      else {
        t = this.to;
        this.playing = false;
      }
    }
    this.time = t;
    this.changed();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

export const speeds = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4];

// Real time where the motion lasts seconds; else what makes it last about ten.
export function niceSpeed(wanted: number): number {
  if (wanted >= 0.2 && wanted <= 3) return 1;
  return speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best, 1);
}
