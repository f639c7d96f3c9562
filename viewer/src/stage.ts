// stage.ts - the three-dimensional view: camera, light, ground, and the mechanisms in it.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Result } from "./data";
import { showScale, type Colouring } from "./colours";
import { Mechanism } from "./mechanism";

// Colours that stay apart for most eyes; one a body, or one a result where several are compared.
export const palette = [0x3b7dd8, 0xe8871e, 0x4caf50, 0xc44e52, 0x8b6fc0, 0x8c6d4f, 0xd36fb5, 0x6f7d8c, 0xb5a642, 0x2aa5a5];

const FAR = 20; // times its size
const MOST_LINES = 200; // of the grid

const SLOW = 45; // milliseconds a picture
const RESTING = 600; // milliseconds without one
const COARSEST = 0.3;

export function moves(r: Result): boolean {
  return r.scene !== null && r.frameTimes.length > 0;
}

export class Stage {
  readonly mechanisms: Mechanism[] = [];
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  beside = false;
  private scene = new THREE.Scene();
  private grid = new THREE.GridHelper(1, 1);
  private centre = new THREE.Vector3();
  private radius = 1; // of what is looked at
  private travel = 1; // of all the way
  private up = new THREE.Vector3(0, 0, 1);
  private planar: boolean;
  private followed: { mechanism: Mechanism; body: number } | null = null;
  private last = new THREE.Vector3();
  private waiting = false;
  private time = 0;
  private slow = 0; // milliseconds between pictures, of late
  private drawn = 0; // when the last was
  private sharpness = 1; // pixels drawn over pixels shown, in each direction
  private rest = 0; // timer
  private swinging = false;

  // Of results that move, one at least.
  constructor(private canvas: HTMLCanvasElement, moving: Result[]) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.controls = new OrbitControls(this.camera, canvas);
    moving.forEach((r, i) => {
      const several = moving.length > 1, colour = palette[i % palette.length];
      this.mechanisms.push(new Mechanism(r, several ? colour : 0xd9480f, several ? [colour] : palette, several && i > 0 ? 0.55 : 1));
    });
    this.planar = moving.every((r) => r.scene!.dimension === 2);
    this.scene.add(...this.mechanisms.map((m) => m.group));
    this.light();
    this.findUp(moving);
    this.measure();
    this.addGrid();
    this.look("start");
    this.colour("displacement");
    this.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement!);
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8899aa, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2.2);
    sun.position.set(3, 4, 6);
    this.scene.add(sun);
  }

  // Up is against gravity; without it y in the plane, z in space.
  private findUp(results: Result[]): void {
    const g = results[0].scene!.gravity;
    if (this.planar) this.up.set(0, 1, 0);
    if (g && Math.hypot(...g) > 0) this.up.set(-g[0], -g[1], -g[2]).normalize();
    this.camera.up.copy(this.up);
  }

  private measure(): void {
    const box = new THREE.Box3();
    for (const m of this.mechanisms) box.union(m.box());
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    box.getCenter(this.centre);
    const size = this.mechanisms[0].result.scene!.size;
    this.travel = Math.max(0.5 * box.getSize(new THREE.Vector3()).length() + 0.3 * size, 1e-9);
    this.radius = this.travel;
    if (this.travel > FAR * size) this.keepNear(size);
  }

  // What goes far would be a dot in a view of all its way: the heaviest body is followed instead.
  private keepNear(size: number): void {
    const m = this.mechanisms[0], masses = m.result.scene!.bodies.map((b) => b.mass);
    m.update(m.result.frameTimes[0]);
    this.follow(m.bodies[masses.indexOf(Math.max(...masses))]?.name ?? null);
    this.radius = 1.1 * size;
    this.centre.copy(this.last);
  }

  private addGrid(): void {
    const step = 10 ** Math.floor(Math.log10(this.radius)), n = Math.min(2 * Math.ceil(2 * this.travel / step), MOST_LINES);
    this.grid = new THREE.GridHelper(n * step, n, 0x8894a3, 0xb4bdc8);
    (this.grid.material as THREE.Material).transparent = true;
    (this.grid.material as THREE.Material).opacity = 0.35;
    if (this.planar) this.grid.rotateX(Math.PI / 2);
    else this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    this.grid.position.copy(this.planar ? new THREE.Vector3(0, 0, -0.02 * this.radius) : new THREE.Vector3());
    this.scene.add(this.grid);
  }

  look(from: "start" | "x" | "y" | "z" | "slant"): void {
    const directions = {
      x: new THREE.Vector3(1, 0, 0), y: new THREE.Vector3(0, -1, 0), z: new THREE.Vector3(0, 0, 1),
      slant: new THREE.Vector3(1, -1.3, 0.75),
    };
    const kind = from === "start" ? (this.planar ? "z" : "slant") : from;
    const d = directions[kind].clone();
    if (this.followed) this.centre.copy(this.last);
    if (kind === "slant") d.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
    this.camera.up.copy(this.up);
    if (Math.abs(d.clone().normalize().dot(this.up)) > 0.99) this.camera.up.set(0, this.up.y ? 0 : 1, this.up.y ? 1 : 0);
    const box = this.canvas.parentElement!, n = this.beside ? this.mechanisms.length : 1;
    const narrow = Math.min(1, box.clientWidth / n / Math.max(box.clientHeight, 1));
    const reach = 1.05 * this.radius / (Math.sin(0.5 * this.camera.fov * Math.PI / 180) * narrow);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(d.normalize(), reach);
    this.camera.near = 1e-3 * reach;
    this.camera.far = 50 * reach;
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

  // Elastic bodies by displacement or stress, all on one scale.
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

  // A mode of an elastic body of the first result swings, once a second; null: the motion again.
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
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  private render(): void {
    const box = this.canvas.parentElement!, w = box.clientWidth, h = box.clientHeight;
    if (w === 0 || h === 0) return;
    this.keepUp();
    this.renderer.setPixelRatio(this.sharpness * Math.min(devicePixelRatio, 2));
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== w || size.y !== h) this.renderer.setSize(w, h, false);
    const n = this.beside ? this.mechanisms.length : 1;
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
  }

  // A machine that draws slowly draws coarser while things move, and sharp again when they rest. How
  // long a picture takes shows in the time to the next one.
  private keepUp(): void {
    const now = performance.now(), passed = now - this.drawn;
    this.drawn = now;
    this.slow = passed < RESTING ? 0.7 * this.slow + 0.3 * passed : 0;
    if (this.slow > SLOW && this.sharpness > COARSEST) {
      this.sharpness *= 0.6;
      this.slow = 0;
    }
    clearTimeout(this.rest);
    if (this.sharpness < 1) this.rest = window.setTimeout(() => { this.sharpness = 1; this.draw(); }, RESTING);
  }
}
