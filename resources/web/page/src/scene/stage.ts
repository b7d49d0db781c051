// All that is drawn in the 3-D window: the robot and its room, and the views that are shown. Has no HTML but the
// names beside markers, and no ways of looking around: whoever shows a stage puts these beside it.

import * as THREE from "three";
import type { Feed, Scene, ViewLine } from "../protocol";
import type { Sample } from "../samples";
import { Bodies } from "./bodies";
import { ShownView } from "./shown_view";
import type { Viewport } from "./viewport";

const SCENE_FEED: Feed = "scene";
/** A ray meets a measured point that it passes by so near [m]. */
const POINT_M = 0.02;
/** The floor's grid is met no further away than this [m]. */
const FLOOR_M = 40;
const FLOOR = new THREE.Plane(new THREE.Vector3(0, 0, 1), 0);

/** Where a ray meets the world. normal: of what is met there; null where that is a point. */
export interface Met {
  readonly distance: number;
  readonly normal: THREE.Vector3 | null;
}

export type Layer = "robot" | "room" | "grid" | "sensors";

export class Stage {
  private readonly bodies = new Bodies();
  private readonly views = new Map<string, ShownView>();
  private readonly caster = new THREE.Raycaster();
  private sensorsVisible = true;

  /** `labels`: an element of the viewport's size over it. `onPlaced`: bodies stand where they are for the first time. */
  constructor(
    private readonly viewport: Viewport,
    private readonly labels: HTMLElement,
    private readonly onPlaced: () => void,
  ) {
    viewport.scene.add(this.bodies.group);
    viewport.onBeforeRender(() => {
      this.bodies.lookFrom(viewport.camera.position);
      for (const view of this.views.values()) view.prepare(viewport.pixelsPerMetre);
    });
  }

  showScene(scene: Scene): void {
    this.bodies.show(scene);
    this.viewport.invalidate();
  }

  showViews(lines: readonly ViewLine[]): void {
    const wanted = new Map(lines.map((line) => [line.id, line]));
    for (const [id, view] of this.views) {
      const line = wanted.get(id);
      if (line === undefined || line.source !== view.line.source) {
        view.dispose();
        this.views.delete(id);
      } else {
        view.line = line;
      }
    }
    for (const line of lines) {
      if (this.views.has(line.id)) continue;
      const view = new ShownView(line, this.viewport, this.labels);
      view.setPointsVisible(this.sensorsVisible);
      this.views.set(line.id, view);
      this.viewport.scene.add(view.object);
    }
    this.viewport.invalidate();
  }

  /** Samples of views that have just gone are passed over. */
  showSample(sample: Sample): void {
    if (sample.header.view === SCENE_FEED) {
      if (this.bodies.place(sample.poses)) this.onPlaced();
    } else {
      const view = this.views.get(sample.header.view);
      view?.show(sample);
      view?.refresh(performance.now());
    }
    this.viewport.invalidate();
  }

  /**
   * The first that a ray (world, direction of length 1) meets: a body, a measured point, the floor; null: nothing.
   * inside: it begins within the room, whose walls may be hidden from whoever looks at it.
   */
  meet(ray: THREE.Ray, inside: boolean): Met | null {
    this.caster.ray.copy(ray);
    this.caster.params.Points.threshold = POINT_M;
    const clouds = [...this.views.values()].flatMap((view) => view.target ?? []);
    const [first] = this.caster.intersectObjects([...this.bodies.targets(inside), ...clouds], false);
    const floor = ray.intersectPlane(FLOOR, new THREE.Vector3());
    const toFloor = floor === null ? Infinity : floor.distanceTo(ray.origin);
    if (first !== undefined && first.distance <= toFloor) {
      const normal = first.face?.normal.clone().transformDirection(first.object.matrixWorld) ?? null;
      return { distance: first.distance, normal };
    }
    return toFloor <= FLOOR_M ? { distance: toFloor, normal: FLOOR.normal.clone() } : null;
  }

  view(id: string): ShownView | undefined {
    return this.views.get(id);
  }

  /** Grey what has become old. */
  refresh(now: number): void {
    for (const view of this.views.values()) if (view.refresh(now)) this.viewport.invalidate();
  }

  setVisible(layer: Layer, visible: boolean): void {
    switch (layer) {
      case "robot":
        this.bodies.setRobotVisible(visible);
        break;
      case "room":
        this.bodies.setRoomVisible(visible);
        break;
      case "grid":
        this.viewport.grid.visible = visible;
        break;
      case "sensors":
        this.sensorsVisible = visible;
        for (const view of this.views.values()) view.setPointsVisible(visible);
    }
    this.viewport.invalidate();
  }

  /** Boxes in the world around what is worth looking at; none before the bodies' first poses. */
  extents(): readonly THREE.Box3[] {
    return this.bodies.extents();
  }
}
