// All that is drawn in the 3-D window: the robot and its room, and the views that are shown. Has no HTML but the
// names beside markers, and no ways of looking around: whoever shows a stage puts these beside it.

import type * as THREE from "three";
import type { Feed, Scene, ViewLine } from "../protocol";
import type { Sample } from "../samples";
import { Bodies } from "./bodies";
import { ShownView } from "./shown_view";
import type { Viewport } from "./viewport";

const SCENE_FEED: Feed = "scene";

export type Layer = "robot" | "room" | "grid" | "sensors";

export class Stage {
  private readonly bodies = new Bodies();
  private readonly views = new Map<string, ShownView>();
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
