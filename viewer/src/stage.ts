// stage.ts - the three-dimensional view: camera, light, ground, and the mechanisms in it.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Result } from "./data";
import { showScale, type Colouring } from "./colours";
import { Compass, niceLength } from "./compass";
import { Mechanism } from "./mechanism";
import { drawsInSoftware } from "./renderer";
import { Tags } from "./tags";

// Colours that stay apart for most eyes; one a body, or one a result where several are compared.
export const palette = [0x3b7dd8, 0xe8871e, 0x4caf50, 0xc44e52, 0x8b6fc0, 0x8c6d4f, 0xd36fb5, 0x6f7d8c, 0xb5a642, 0x2aa5a5];

const FAR = 6, FAR_ALONE = 20; // times its size: what goes further is followed; one body alone would not be seen to move
const WIDE = 32, FLAT = 4; // angles of the picture in space and, nearly without perspective, in a plane
const MARGIN = 1.1;
const SMALL = 0.04; // part of the picture: what takes less is looked at from nearer
const MOST_LINES = 200; // of the grid

const GRID = 0.35, GRID_DARK = 0.16; // opacity
const SLOW = 45; // milliseconds a picture
const RESTING = 600; // milliseconds without one
const COARSEST = 0.36;

export function moves(r: Result): boolean {
  return r.scene !== null && r.frameTimes.length > 0;
}

export class Stage {
  readonly mechanisms: Mechanism[] = [];
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(WIDE, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  beside = false;
  touched = false; // the user has taken the eye elsewhere
  drawn: (() => void) | null = null; // told after every picture
  private scene = new THREE.Scene();
  private grid = new THREE.GridHelper(1, 1);
  private centre = new THREE.Vector3();
  private reach = 1; // how far things may be from the centre
  private up = new THREE.Vector3(0, 0, 1);
  private planar: boolean;
  private followed: { mechanism: Mechanism; body: number } | null = null;
  private last = new THREE.Vector3();
  private waiting = false; // a picture is asked for
  private busy = false; // the last one may not be on the screen yet
  private follows = false; // the picture asked for was so while the last one was made
  private time = 0;
  private slow = 0; // milliseconds between pictures, of late
  private latest = 0; // when the last was drawn
  private sharpness = 1; // pixels drawn over pixels shown, in each direction
  private rest = 0; // timer
  private swinging = false;
  private tags = new Tags(document.getElementById("tags")!, ["legend", "scale", "corner"].map((id) => document.getElementById(id)!));
  private compass = new Compass(document.getElementById("compass")!, document.getElementById("ruler")!);
  private past: Mechanism[] = []; // replaced, and not forgotten yet
  private pastGrids: THREE.GridHelper[] = [];
  private near = false; // what is seen is one body that is followed, and what is round it

  // Of results that move, one at least.
  constructor(private canvas: HTMLCanvasElement, moving: Result[]) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !drawsInSoftware(), alpha: true, preserveDrawingBuffer: true });
    this.renderer.debug.checkShaderErrors = false; // to ask for them waits until each program is made
    this.controls = new OrbitControls(this.camera, canvas);
    this.planar = moving.every((r) => r.scene!.dimension === 2);
    this.findUp(moving);
    this.fill(moving);
    this.light();
    this.measure();
    this.addGrid();
    this.look("start");
    this.colour("displacement");
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => { this.touched = true; });
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement!);
  }

  private fill(moving: Result[]): void {
    moving.forEach((r, i) => {
      const several = moving.length > 1, colour = palette[i % palette.length];
      this.mechanisms.push(new Mechanism(r, several ? colour : 0xd9480f, several ? [colour] : palette, several && i > 0 && !this.beside ? 0.55 : 1, this.up));
    });
    this.scene.add(...this.mechanisms.map((m) => m.group));
  }

  // Other results in the place of these. The eye stays where it is as long as what is seen is inside of the picture, and not a
  // small part of it; where something was outside before, as long as it is of the same size and place. anew: it does not stay.
  replace(moving: Result[], anew = false): void {
    const old = this.mechanisms[0], before = { centre: this.centre.clone(), reach: this.reach, planar: this.planar, up: this.up.clone(), filled: this.filled() };
    const chosen = old.selected, names = old.names;
    this.scene.remove(...this.mechanisms.map((m) => m.group));
    this.past.push(...this.mechanisms.splice(0));
    this.followed = null;
    this.near = false;
    this.planar = moving.every((r) => r.scene!.dimension === 2);
    this.up.set(0, 0, 1);
    const eye = this.camera.up.clone();
    this.findUp(moving);
    this.fill(moving);
    this.mechanisms[0].names = names;
    this.measure();
    this.scene.remove(this.grid);
    this.pastGrids.push(this.grid);
    this.addGrid();
    if (anew || before.planar !== this.planar || before.up.distanceTo(this.up) > 1e-6) this.look("start");
    else this.keepEye(eye, before);
    this.colour("displacement");
    if (chosen) for (const m of this.mechanisms) m.select(chosen);
    this.update(0);
  }

  private keepEye(up: THREE.Vector3, before: { centre: THREE.Vector3; reach: number; filled: number }): void {
    this.camera.up.copy(up);
    const filled = this.filled(), moved = this.centre.distanceTo(before.centre) > 0.7 * before.reach || this.reach > 1.6 * before.reach || this.reach < 0.5 * before.reach;
    const lost = before.filled > 0 ? filled < Math.min(SMALL, before.filled) : moved;
    if (!lost) return;
    this.fit(this.camera.position.clone().sub(this.controls.target).normalize());
    this.controls.update();
  }

  // The part of the picture that what is there takes, across or upwards, whichever is more. 0: some of it is outside.
  private filled(): number {
    const low = [1, 1], high = [-1, -1], q = new THREE.Vector3();
    let some = false;
    this.camera.updateMatrixWorld();
    for (const m of this.mechanisms) for (const p of m.extent()) {
      q.copy(p).project(this.camera);
      if (Math.abs(q.x) > 1 || Math.abs(q.y) > 1) return 0;
      some = true;
      [q.x, q.y].forEach((v, k) => { low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); });
    }
    return some ? 0.5 * Math.max(high[0] - low[0], high[1] - low[1], 1e-6) : 1;
  }

  // What is seen no more gives its memory back when its successor has been drawn: materials of the same kind share a program
  // of the graphics card, which goes with the last of them, and takes longer to make than all else.
  private forget(): void {
    for (const g of this.pastGrids.splice(0)) g.dispose();
    for (const m of this.past.splice(0)) {
      m.group.traverse((o) => {
        const mesh = o as THREE.Mesh;
        mesh.geometry?.dispose();
        for (const x of [mesh.material ?? [], mesh.userData.plain ?? []].flat() as THREE.Material[]) x.dispose();
      });
    }
  }

  // From the sky, and from beside the eye: a face that is seen is lit, from wherever it is seen.
  private light(): void {
    const sky = new THREE.HemisphereLight(0xffffff, 0xc8ced6, 1.7), lamp = new THREE.DirectionalLight(0xffffff, 1.9);
    sky.position.copy(this.up);
    lamp.position.set(-0.3, 0.45, 1);
    this.camera.add(lamp, lamp.target);
    lamp.target.position.set(0, 0, 0);
    this.scene.add(sky, this.camera);
  }

  // Up is against gravity; without it y in the plane, z in space.
  private findUp(results: Result[]): void {
    const g = results[0].scene!.gravity;
    if (this.planar) this.up.set(0, 1, 0);
    if (g && Math.hypot(...g) > 0) this.up.set(-g[0], -g[1], -g[2]).normalize();
    this.camera.up.copy(this.up);
    this.camera.fov = this.planar ? FLAT : WIDE;
  }

  private measure(): void {
    const box = new THREE.Box3();
    for (const m of this.mechanisms) box.union(m.box());
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    box.getCenter(this.centre);
    const size = this.mechanisms[0].result.scene!.size;
    this.reach = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 0.1 * size);
    if (this.reach > (this.mechanisms[0].parts.length > 1 ? FAR : FAR_ALONE) * size) this.keepNear();
  }

  // What goes far would be a dot in a view of all its way: the heaviest body is followed instead.
  private keepNear(): void {
    const m = this.mechanisms[0], masses = m.result.scene!.bodies.map((b) => b.mass);
    m.update(m.result.frameTimes[0]);
    this.follow(m.bodies[masses.indexOf(Math.max(...masses))]?.name ?? null);
    this.near = true;
  }

  private addGrid(): void {
    const size = this.near ? this.mechanisms[0].result.scene!.size : this.reach;
    const step = niceLength(0.5 * size), n = Math.min(2 * Math.ceil(1.6 * this.reach / step), MOST_LINES);
    this.grid = new THREE.GridHelper(n * step, n, 0x8894a3, 0xb4bdc8);
    (this.grid.material as THREE.Material).transparent = true;
    if (this.planar) this.grid.rotateX(Math.PI / 2);
    else this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    // through the origin, or through whole steps from it where things are elsewhere
    const at = this.near ? new THREE.Vector3() : this.centre.clone();
    if (!this.planar) at.addScaledVector(this.up, -at.dot(this.up));
    this.grid.position.set(...at.toArray().map((x) => step * Math.round(x / step)) as [number, number, number]);
    if (!this.planar) this.grid.position.addScaledVector(this.up, this.floor() - this.grid.position.dot(this.up));
    if (this.planar) this.grid.position.z = -0.05 * size;
    this.scene.add(this.grid);
  }

  // How high the ground is drawn in space: under everything, that no line of it lies before a body; what stands on the
  // plane through the origin, or rolls on another one, is left on it.
  private floor(): number {
    const m = this.mechanisms[0], scene = m.result.scene!, rolls = scene.joints.find((j) => j.type === "rolling" && j.bodies[0] < 0);
    if (rolls) return new THREE.Vector3().fromArray(rolls.at[0]).dot(this.up);
    let lowest = Infinity;
    for (const p of m.extent()) lowest = Math.min(lowest, p.dot(this.up));
    if (!Number.isFinite(lowest)) return 0;
    return lowest > -1e-3 * scene.size && lowest < this.reach ? 0 : lowest - 0.02 * scene.size;
  }

  look(from: "start" | "x" | "y" | "z" | "slant"): void {
    const directions = {
      x: new THREE.Vector3(1, 0, 0), y: new THREE.Vector3(0, -1, 0), z: new THREE.Vector3(0, 0, 1),
      slant: new THREE.Vector3(1, -1.3, 0.75),
    };
    this.touched = false;
    const kind = from === "start" ? (this.planar ? "z" : "slant") : from;
    const d = directions[kind].clone();
    if (kind === "slant" && this.planar) d.set(0.75, 0.45, 1.4); // y stays upwards
    else if (kind === "slant") d.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
    this.camera.up.copy(this.up);
    if (Math.abs(d.clone().normalize().dot(this.up)) > 0.99) this.camera.up.set(0, this.up.y ? 0 : 1, this.up.y ? 1 : 0);
    this.fit(d.normalize());
    this.controls.update();
    this.draw();
  }

  // The eye where all that moves is just inside the picture, seen against d.
  private fit(d: THREE.Vector3): void {
    const box = this.canvas.parentElement!, n = this.beside ? this.mechanisms.length : 1;
    const tan = Math.tan(0.5 * this.camera.fov * Math.PI / 180), aspect = box.clientWidth / n / Math.max(box.clientHeight, 1) || 1;
    const right = new THREE.Vector3().crossVectors(this.camera.up, d).normalize(), up = new THREE.Vector3().crossVectors(d, right);
    const points: number[][] = [], low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const now = this.near ? this.mechanisms.slice(0, 1) : this.mechanisms;
    for (const m of now) for (const p of m.extent(this.near ? this.followed?.body : undefined)) {
      const x = [p.dot(right), p.dot(up), p.dot(d)];
      points.push(x);
      for (const k of [0, 1]) {
        low[k] = Math.min(low[k], x[k]);
        high[k] = Math.max(high[k], x[k]);
      }
    }
    if (points.length === 0) {
      points.push([0, 0, 0]);
      low.fill(0);
      high.fill(0);
    }
    const cx = 0.5 * (low[0] + high[0]), cy = 0.5 * (low[1] + high[1]), deep = points.map((x) => x[2]);
    const cz = 0.5 * (deep.reduce((a, b) => Math.min(a, b)) + deep.reduce((a, b) => Math.max(a, b)));
    let away = 0.3 * this.mechanisms[0].result.scene!.size / tan;
    for (const x of points) away = Math.max(away, MARGIN * Math.max(Math.abs(x[0] - cx) / (tan * aspect), Math.abs(x[1] - cy) / tan) + x[2] - cz);
    this.controls.target.set(0, 0, 0).addScaledVector(right, cx).addScaledVector(up, cy).addScaledVector(d, cz);
    if (this.near && this.followed) { // from where it started to where it is
      const b = this.followed.mechanism;
      this.controls.target.add(this.last).sub(b.startOf(this.followed.body));
    }
    this.camera.position.copy(this.controls.target).addScaledVector(d, away);
  }

  // Where something of the motion is outside of the picture, the eye goes back until it is seen, or nearer.
  reveal(): void {
    if (this.near || this.filled() > 0) return;
    this.fit(this.camera.position.clone().sub(this.controls.target).normalize());
    this.controls.update();
    this.draw();
  }

  follow(body: string | null): void {
    this.followed = null;
    for (const mechanism of this.mechanisms) {
      const k = body ? mechanism.bodies.findIndex((b) => b.name === body) : -1;
      if (k < 0) continue;
      this.followed = { mechanism, body: k };
      this.last.copy(mechanism.bodies[k].position);
      break;
    }
  }

  following(): string | null {
    return this.followed ? this.followed.mechanism.bodies[this.followed.body].name : null;
  }

  arrange(beside: boolean): void {
    this.beside = beside;
    this.look("start");
  }

  // ---- parts --------------------------------------------------------------------------------------

  // The part under a place of the picture, in pixels; null: none.
  pick(x: number, y: number): string | null {
    return this.hit(x, y)?.name ?? null;
  }

  // What the eye sees at a pixel of the page, in which of several views.
  private sight(x: number, y: number): { ray: THREE.Raycaster; view: number } {
    const box = this.canvas.getBoundingClientRect(), n = this.beside ? this.mechanisms.length : 1, across = (x - box.left) / box.width * n;
    const view = Math.min(Math.max(Math.floor(across), 0), n - 1), ray = new THREE.Raycaster();
    this.camera.aspect = box.width / n / box.height;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(new THREE.Vector2(2 * (across - view) - 1, 1 - 2 * (y - box.top) / box.height), this.camera);
    return { ray, view };
  }

  // The same, with the place of it that is seen there, and the mechanism.
  hit(x: number, y: number): { name: string; at: number[]; view: number } | null {
    const { ray, view } = this.sight(x, y);
    for (const m of this.mechanisms) m.group.updateMatrixWorld(true); // as they are, drawn or not yet
    const all = this.mechanisms.map((m, k) => ({ m, k })).filter(({ k }) => !this.beside || k === view);
    const hits = all.flatMap(({ m, k }) => { const h = m.pick(ray); return h ? [{ ...h, k }] : []; });
    const first = hits.sort((a, b) => a.distance - b.distance)[0];
    return first ? { name: first.name, at: ray.ray.at(first.distance, new THREE.Vector3()).toArray(), view: first.k } : null;
  }

  // The place of a plane through `at` that is under a pixel of the page, and how far the eye is from it across one pixel; null:
  // the plane is not seen there.
  place(x: number, y: number, normal: number[], at: number[]): { at: number[]; pixel: number } | null {
    const { ray } = this.sight(x, y), n = new THREE.Vector3().fromArray(normal);
    const hit = ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(n, new THREE.Vector3().fromArray(at)), new THREE.Vector3());
    if (!hit) return null;
    return { at: hit.toArray(), pixel: 2 * hit.distanceTo(this.camera.position) * Math.tan(0.5 * this.camera.fov * Math.PI / 180) / this.canvas.getBoundingClientRect().height };
  }

  // Where the eye looks to.
  direction(): number[] {
    return this.controls.target.clone().sub(this.camera.position).normalize().toArray();
  }

  // Where a place is in the picture, or in one of several views, in pixels of the page.
  pixel(at: number[], view = 0): [number, number] {
    const box = this.canvas.getBoundingClientRect(), n = this.beside ? this.mechanisms.length : 1, p = new THREE.Vector3().fromArray(at).project(this.camera);
    return [box.left + (view + 0.5 * (p.x + 1)) / n * box.width, box.top + 0.5 * (1 - p.y) * box.height];
  }

  select(name: string | null): void {
    for (const m of this.mechanisms) m.select(name);
    this.draw();
  }

  selected(): string | null {
    return this.mechanisms[0].selected;
  }

  hide(name: string, hidden: boolean): void {
    for (const m of this.mechanisms) {
      if (hidden) m.hidden.add(name);
      else m.hidden.delete(name);
    }
    this.refresh();
  }

  hideAll(hidden: boolean): void {
    for (const m of this.mechanisms) {
      m.hidden.clear();
      if (hidden) for (const p of m.parts) m.hidden.add(p.name);
    }
    this.refresh();
  }

  // Flexible bodies by displacement or stress, all on one scale.
  colour(what: Colouring): void {
    const top = Math.max(...this.mechanisms.map((m) => m.scale(what)));
    for (const m of this.mechanisms) {
      m.colouring = what;
      m.top = top;
    }
    this.label();
  }

  has(what: Colouring): boolean {
    return this.mechanisms.some((m) => m.elastic.some((e) => e.body.has(what)));
  }

  // The bar beside the picture; also after a change of language.
  label(): void {
    const m = this.mechanisms[0], relative = this.mechanisms.some((x) => x.showsShape);
    showScale(document.getElementById("scale")!, m.colouring, m.elastic.length > 0 ? (relative ? 1 : m.top) : 0, relative);
  }

  // A mode of a flexible body of the first result swings, once a second; null: the motion again.
  showShape(of: number | null, mode = 0): void {
    const m = this.mechanisms[0];
    m.showShape(of, mode);
    this.label();
    const swing = (now: number) => {
      if (!m.showsShape) return;
      m.phase = 2 * Math.PI * now / 1000;
      this.refresh();
      requestAnimationFrame(swing);
    };
    if (m.showsShape && !this.swinging) requestAnimationFrame(swing);
    this.swinging = m.showsShape;
    this.refresh();
  }

  showsGrid(): boolean {
    return this.grid.visible;
  }

  showGrid(on: boolean): void {
    this.grid.visible = on;
    this.draw();
  }

  update(t: number): void {
    this.time = t;
    for (const m of this.mechanisms) m.update(t);
    if (this.followed) {
      const now = this.followed.mechanism.bodies[this.followed.body].position;
      const by = now.clone().sub(this.last);
      this.camera.position.add(by);
      this.controls.target.add(by);
      this.last.copy(now);
      this.controls.update();
    }
    this.draw();
  }

  refresh(): void {
    this.update(this.time);
  }

  // Once a frame of the screen, however often it is asked for.
  draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    this.follows = this.busy;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  private render(): void {
    const box = this.canvas.parentElement!, w = box.clientWidth, h = box.clientHeight;
    if (w === 0 || h === 0) return;
    this.keepUp();
    (this.grid.material as THREE.Material).opacity = document.documentElement.dataset.theme === "dark" ? GRID_DARK : GRID;
    const sharp = this.sharpness * Math.min(devicePixelRatio, 2);
    if (this.renderer.getPixelRatio() !== sharp) this.renderer.setPixelRatio(sharp); // makes the picture's memory anew
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== w || size.y !== h) this.renderer.setSize(w, h, false);
    const n = this.beside ? this.mechanisms.length : 1, far = this.camera.position.distanceTo(this.controls.target);
    const deep = 4 * this.reach + this.controls.target.distanceTo(this.centre);
    this.camera.near = Math.max(far - deep, 1e-3 * far);
    this.camera.far = far + 2 * deep;
    this.renderer.setScissorTest(n > 1);
    for (let i = 0; i < n; i++) {
      const x = Math.round(i * w / n), width = Math.round((i + 1) * w / n) - x;
      this.mechanisms.forEach((m, k) => { m.group.visible = n === 1 || k === i; });
      this.renderer.setViewport(x, 0, width, h);
      this.renderer.setScissor(x, 0, width, h);
      this.camera.aspect = width / h;
      this.camera.updateProjectionMatrix();
      this.renderer.render(this.scene, this.camera);
    }
    this.mechanisms.forEach((m) => { m.group.visible = true; });
    this.forget();
    this.annotate(n, w, h);
    this.drawn?.();
    this.busy = true;
    requestAnimationFrame(() => { this.busy = false; });
  }

  // Words, axes and scale over the picture.
  private annotate(n: number, w: number, h: number): void {
    this.tags.begin();
    this.mechanisms.forEach((m, i) => this.tags.put(m.tags(), this.camera, { x: n > 1 ? i * w / n : 0, width: w / n, height: h }));
    const far = this.camera.position.distanceTo(this.controls.target);
    this.compass.update(this.camera, 2 * far * Math.tan(0.5 * this.camera.fov * Math.PI / 180) / h);
  }

  // A machine that draws slowly draws coarser while things move, and sharp again when they rest. How long a picture takes
  // shows in the time to the next one, where that follows at once: the time between two keys says nothing of the machine.
  private keepUp(): void {
    const now = performance.now(), passed = now - this.latest;
    this.latest = now;
    this.slow = this.follows && passed < RESTING ? 0.7 * this.slow + 0.3 * passed : 0;
    if (this.slow > SLOW && this.sharpness > COARSEST) {
      this.sharpness = Math.max(0.6 * this.sharpness, COARSEST);
      this.slow = 0;
    }
    clearTimeout(this.rest);
    if (this.sharpness < 1) this.rest = window.setTimeout(() => { this.sharpness = 1; this.draw(); }, RESTING);
  }
}
