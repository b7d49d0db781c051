// The mouse in the scene, and in the pictures of cameras, as somebody's pointing: where its ray meets the world, what of
// that counts (attention.ts), that it is drawn (cursor.ts), and that the robot is told.

import * as THREE from "three";
import { POINTS_FOR_S, POINTS_PER_S, type PagePoint } from "../../protocol";
import { Attention } from "../../scene/attention";
import { Cursor } from "../../scene/cursor";
import type { Stage } from "../../scene/stage";
import type { Viewport } from "../../scene/viewport";

/** So near to where it was pressed it is a click, and no turning of the view [px]. */
const CLICK_PX = 5;
/** What goes on counting is told again before it lapses [ms]. */
const AGAIN_MS = 500 * POINTS_FOR_S;
/** What is further away is not met: the robot is told nothing of it [m]. */
const FARTHEST_M = 900;

type Point = readonly [number, number];

/** The mouse: where in the window, and the ray from there (world, direction of length 1). */
interface Mouse {
  readonly at: Point;
  /** Since when, on performance.now()'s clock [ms]. */
  readonly since: number;
  readonly ray: () => THREE.Ray;
  /** It begins in the room, and not where somebody looks into it from. */
  readonly inside: boolean;
  /** Draws it where it is in a picture, or not any more. */
  readonly draw: Draw | null;
}

type Draw = (counts: boolean) => void;

export class Pointer {
  private readonly attention = new Attention();
  private readonly cursor: Cursor;
  private readonly normals = new WeakMap<PagePoint, THREE.Vector3>();
  private readonly drawn = new WeakMap<PagePoint, Draw>();
  private readonly caster = new THREE.Raycaster();
  private mouse: Mouse | null = null;
  private pressed: Point | null = null;
  private shown: PagePoint | null = null;
  private toldAt = -Infinity;

  /** tell: the robot; null: nothing is pointed at any more. */
  constructor(
    private readonly viewport: Viewport,
    private readonly stage: Stage,
    overlay: HTMLElement,
    private readonly tell: (at: PagePoint | null) => void,
  ) {
    this.cursor = new Cursor(viewport, overlay);
    const { canvas } = viewport;
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerdown", (event) => (this.pressed = event.isPrimary ? [event.clientX, event.clientY] : null));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => (this.pressed = null));
    canvas.addEventListener("pointerleave", (event) => this.leave(event.timeStamp));
    addEventListener("blur", (event) => this.leave(event.timeStamp));
    setInterval(() => this.look(), 1000 / POINTS_PER_S);
  }

  /** What is pointed at now is told before the words that are about it. */
  tellNow(): void {
    this.show();
    if (this.shown !== null) this.say(performance.now());
  }

  /** The mouse is over a camera's picture. ray: through that place of it, from the camera. draw: draws it there. */
  moveInPicture(at: Point, since: number, ray: () => THREE.Ray, draw: Draw): void {
    this.mouse = { at, since, ray, inside: true, draw };
  }

  /** The mouse is over neither. at: when it left, on performance.now()'s clock [ms]: pages that draw hear of it later. */
  leave(at: number): void {
    if (this.mouse !== null) this.see(this.mouse, this.mouse.since);
    this.mouse = null;
    this.attention.leave(at);
  }

  /** What it is on. */
  name(names: readonly string[]): void {
    this.cursor.name(names);
  }

  private move(event: PointerEvent): void {
    if (event.buttons !== 0) {
      this.mouse = null;
      this.attention.drag();
    } else if (event.pointerType !== "touch") {
      const at: Point = [event.clientX, event.clientY];
      this.mouse = { at, since: event.timeStamp, ray: () => this.through(at), inside: false, draw: null };
    }
  }

  private release(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    if (from === null || event.button !== 0 || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > CLICK_PX) return;
    const at = this.met(this.through([event.clientX, event.clientY]), false);
    this.attention.click(at.meets_m === null ? null : at, performance.now());
    this.show();
  }

  /** Ten times a second: the world may have moved under a mouse that rests, and what counts may do so no more. */
  private look(): void {
    const now = performance.now();
    if (this.mouse !== null) this.see(this.mouse, now);
    this.show();
    if (this.shown !== null && now - this.toldAt >= AGAIN_MS) this.say(now);
  }

  private see({ at, ray, inside, draw }: Mouse, now: number): void {
    const place = this.met(ray(), inside);
    if (draw !== null) this.drawn.set(place, draw);
    this.attention.see(place, at, now);
  }

  private show(): void {
    const now = performance.now();
    const at = this.attention.at(now);
    if (same(at, this.shown)) return;
    if (this.shown !== null) this.drawn.get(this.shown)?.(false);
    this.shown = at;
    if (at !== null) this.drawn.get(at)?.(true);
    this.cursor.show(at, at === null ? null : (this.normals.get(at) ?? null));
    this.say(now);
  }

  private say(now: number): void {
    this.toldAt = now;
    this.tell(this.shown);
  }

  /** The ray through a place of the window. */
  private through([x, y]: Point): THREE.Ray {
    const { left, top, width, height } = this.viewport.canvas.getBoundingClientRect();
    this.viewport.camera.updateMatrixWorld();
    this.caster.setFromCamera(new THREE.Vector2((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height), this.viewport.camera);
    return this.caster.ray;
  }

  private met(ray: THREE.Ray, inside: boolean): PagePoint {
    const met = this.stage.meet(ray, inside);
    const isNear = met !== null && met.distance < FARTHEST_M;
    const at: PagePoint = { origin: three(ray.origin), direction: three(ray.direction), meets_m: isNear ? rounded(met.distance) : null };
    if (isNear && met.normal !== null) this.normals.set(at, met.normal);
    return at;
  }
}

function same(one: PagePoint | null, other: PagePoint | null): boolean {
  return one === other || (one !== null && other !== null && JSON.stringify(one) === JSON.stringify(other));
}

function three({ x, y, z }: THREE.Vector3): [number, number, number] {
  return [rounded(x), rounded(y), rounded(z)];
}

/** As short as a hundredth of a pixel needs it. */
function rounded(value: number): number {
  return Math.round(1e5 * value) / 1e5;
}
