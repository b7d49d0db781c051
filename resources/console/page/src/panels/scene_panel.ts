// The large panel: the 3-D scene, what is shown in it and how old that is, and the camera's picture.

import { h, Rows, setAttribute, setText, type Row } from "../elements";
import type { Feed, Scene, ViewLine } from "../protocol";
import type { Sample } from "../samples";
import { Bodies } from "../scene/bodies";
import { ShownView } from "../scene/shown_view";
import { Viewport } from "../scene/viewport";
import { span } from "../words";
import { PicturePanel } from "./picture_panel";

const REFRESH_MS = 200;

interface Layer {
  readonly name: string;
  readonly set: (visible: boolean) => void;
}

export class ScenePanel {
  readonly element: HTMLElement;
  private lines = new Map<string, ViewLine>();
  private readonly views = new Map<string, ShownView>();
  private readonly pictures = new PicturePanel();
  private readonly overlay = h("div", { class: "scene-overlay", attributes: { "aria-hidden": "true" } });
  private readonly list = h("ul", { class: "views", attributes: { "aria-label": "What is shown" } });
  private readonly empty = h("p", { class: "scene-empty" });
  private readonly rows: Rows<ViewLine>;
  private readonly bodies = new Bodies();
  private viewport: Viewport | null = null;
  private pointsVisible = true;

  constructor() {
    this.element = h("section", { class: "panel scene", attributes: { "aria-label": "Scene" } });
    this.rows = new Rows<ViewLine>(this.list, (line) => line.id, () => this.row());
    const canvas = h("div", { class: "scene-canvas" }, this.overlay);
    this.element.append(canvas, this.list, this.empty, this.pictures.element);
    try {
      this.viewport = this.open(canvas);
      this.element.append(this.tools(this.viewport));
    } catch (error) {
      canvas.append(
        h("p", { class: "scene-broken" }, `This browser cannot draw in three dimensions here (${String(error)}). ` +
          "Switch on hardware acceleration or WebGL in its settings; everything else on this page works."),
      );
    }
    setInterval(() => this.refresh(), REFRESH_MS);
    this.refresh();
  }

  showScene(scene: Scene): void {
    this.bodies.show(scene);
    this.viewport?.invalidate();
  }

  showViews(lines: readonly ViewLine[]): void {
    this.lines = new Map(lines.map((line) => [line.id, line]));
    for (const [id, view] of this.views) {
      const line = this.lines.get(id);
      if (line === undefined || line.source !== view.line.source) {
        view.dispose();
        this.views.delete(id);
      } else {
        view.line = line;
      }
    }
    if (this.viewport !== null) {
      for (const line of lines) {
        if (this.views.has(line.id)) continue;
        const view = new ShownView(line, this.viewport, this.overlay);
        view.setPointsVisible(this.pointsVisible);
        this.views.set(line.id, view);
        this.viewport.scene.add(view.object);
      }
      this.viewport.invalidate();
    }
    this.pictures.keep(lines);
    this.refresh();
  }

  showSample(sample: Sample): void {
    const id = sample.header.view;
    if (id === SCENE_FEED) {
      this.bodies.place(sample.poses);
    } else {
      const line = this.lines.get(id);
      if (line === undefined) return; // of a view that has just gone
      const view = this.views.get(id);
      view?.show(sample);
      view?.refresh(performance.now());
      if (sample.picture.byteLength > 0) this.pictures.show(line, sample);
    }
    this.viewport?.invalidate();
  }

  private open(canvas: HTMLElement): Viewport {
    const viewport = new Viewport(canvas);
    viewport.scene.add(this.bodies.group);
    viewport.onBeforeRender(() => {
      this.bodies.lookFrom(viewport.camera.position);
      const pixelsPerMetre = viewport.pixelHeight / (2 * Math.tan((viewport.camera.fov * Math.PI) / 360));
      for (const view of this.views.values()) view.prepare(pixelsPerMetre);
    });
    return viewport;
  }

  private tools(viewport: Viewport): HTMLElement {
    const layers: readonly Layer[] = [
      { name: "Robot", set: (visible) => this.bodies.setRobotVisible(visible) },
      { name: "Room", set: (visible) => this.bodies.setRoomVisible(visible) },
      { name: "Grid", set: (visible) => (viewport.grid.visible = visible) },
      {
        name: "Sensors",
        set: (visible) => {
          this.pointsVisible = visible;
          for (const view of this.views.values()) view.setPointsVisible(visible);
        },
      },
    ];
    const buttons = layers.map((layer) => {
      const button: HTMLButtonElement = h(
        "button",
        { class: "chip", attributes: { type: "button", "aria-pressed": "true" }, title: `Show or hide: ${layer.name}`,
          onclick: () => {
            const shown = button.getAttribute("aria-pressed") !== "true";
            button.setAttribute("aria-pressed", String(shown));
            layer.set(shown);
            viewport.invalidate();
          },
        },
        layer.name,
      );
      return button;
    });
    const home = h("button", { class: "chip", attributes: { type: "button" }, title: "Look from where you began",
      onclick: () => viewport.home() }, "Reset view");
    return h("div", { class: "scene-tools", attributes: { role: "group", "aria-label": "Layers" } }, ...buttons, home);
  }

  private row(): Row<ViewLine> {
    const title = h("span", { class: "view-title" });
    const age = h("span", { class: "view-age" });
    const element = h("li", { class: "view" }, h("span", { class: "dot" }), title, age);
    return {
      element,
      update: (line) => {
        setText(title, line.title || line.stream || line.id);
        this.describe(line, element, age);
      },
    };
  }

  private describe(line: ViewLine, element: Element, words: Element): void {
    const view = this.views.get(line.id);
    const now = performance.now();
    const age = view?.age(now) ?? this.pictures.age(line.id, now);
    const stale = view?.isStale(now) ?? this.pictures.isStale(line.id, now);
    setAttribute(element, "data-state", age === null ? "waiting" : stale ? "stale" : "live");
    if (age === null) setText(words, "waiting for its first sample");
    else if (stale) setText(words, `stopped ${span(age)} ago`);
    else setText(words, view?.isEmpty ? "not seen now" : "live");
  }

  private refresh(): void {
    const now = performance.now();
    const lines = [...this.lines.values()];
    for (const view of this.views.values()) if (view.refresh(now)) this.viewport?.invalidate();
    this.rows.show(lines);
    this.pictures.refresh(now);
    this.empty.hidden = lines.length > 0;
    if (lines.length === 0) setText(this.empty, "Nothing is shown yet. Type: show the environment");
  }
}

const SCENE_FEED: Feed = "scene";
