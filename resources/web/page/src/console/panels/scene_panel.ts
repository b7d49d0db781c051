// The large panel: the 3-D scene, what is shown in it and how old that is, and the camera's picture.

import { h, Rows, setAttribute, setText, type Row } from "../../elements";
import type { FingerRay, PagePoint, PutView, Question, Scene, ViewLine } from "../../protocol";
import type { Sample } from "../../samples";
import { Candidates } from "../../scene/candidates";
import { inWords } from "../../scene/cursor";
import { Fingers } from "../../scene/fingers";
import { Orbit } from "../../scene/orbit";
import { Stage, type Layer } from "../../scene/stage";
import { Viewport } from "../../scene/viewport";
import { span } from "../../words";
import { PicturePanel } from "./picture_panel";
import { Pointer } from "./pointer";

const REFRESH_MS = 200;

const LAYERS: readonly { layer: Layer; name: string }[] = [
  { layer: "robot", name: "Robot" },
  { layer: "room", name: "Room" },
  { layer: "grid", name: "Grid" },
  { layer: "sensors", name: "Sensors" },
];

export class ScenePanel {
  readonly element: HTMLElement;
  private lines = new Map<string, ViewLine>();
  private readonly pictures = new PicturePanel({
    over: (at, since, ray, draw) => this.pointer?.moveInPicture(at, since, ray, draw),
    left: (at) => this.pointer?.leave(at),
  });
  private readonly labels = h("div", { class: "scene-overlay", attributes: { "aria-hidden": "true" } });
  private readonly list = h("ul", { class: "views", attributes: { "aria-label": "What is shown" } });
  private readonly empty = h("p", { class: "scene-empty" }, "Nothing is shown yet. Type: show the environment");
  private readonly rows: Rows<ViewLine>;
  private stage: Stage | null = null;
  private orbit: Orbit | null = null;
  private pointer: Pointer | null = null;
  private fingers: Fingers | null = null;
  private candidates: Candidates | null = null;
  private worldIsSeen = false;

  /** point: tells the robot where the mouse points; null: nowhere any more. answer: to a question, by the number of an option. */
  constructor(
    private readonly point: (at: PagePoint | null) => void,
    private readonly answer: (question: string, choice: number) => void,
  ) {
    this.element = h("section", { class: "panel scene", attributes: { "aria-label": "Scene" } });
    this.rows = new Rows<ViewLine>(this.list, (line) => line.id, () => this.row());
    const canvas = h("div", { class: "scene-canvas" }, this.labels);
    this.element.append(canvas, this.list, this.empty, this.pictures.element);
    try {
      this.element.append(this.open(canvas));
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
    this.worldIsSeen = false;
    this.stage?.showScene(scene);
  }

  showViews(lines: readonly ViewLine[]): void {
    this.lines = new Map(lines.map((line) => [line.id, line]));
    this.stage?.showViews(lines);
    this.pictures.keep(lines);
    this.refresh();
  }

  showSample(sample: Sample): void {
    this.stage?.showSample(sample);
    const line = this.lines.get(sample.header.view);
    if (line !== undefined && sample.picture.byteLength > 0) this.pictures.show(line, sample);
  }

  /** What is pointed at is told now, before the words that are about it. */
  tellPointing(): void {
    this.pointer?.tellNow();
  }

  /** What is pointed at, as people call it; several: nobody could tell which of them. */
  showPointedAt(names: readonly string[]): void {
    this.pointer?.name(names);
    this.pictures.showPointedAt(inWords(names));
  }

  /** Where fingers before the robot's cameras point. */
  showFingers(rays: readonly FingerRay[]): void {
    this.fingers?.show(rays);
  }

  /** How the scene is to be looked at from now on. */
  putView(look: PutView): void {
    if (look.middle === null && this.stage !== null) this.orbit?.frame(this.stage.extents());
    this.orbit?.put(look);
  }

  /** Between what of the world this page is asked to choose. */
  showQuestion(question: Question | null): void {
    const things = question?.things.map(({ choice, world_T_thing, size }) => ({ choice, pose: world_T_thing, size }));
    this.candidates?.show(question === null ? null : { ...question, things: things ?? [] });
  }

  /** The stage and its ways of looking around; returns the buttons for both. */
  private open(canvas: HTMLElement): HTMLElement {
    const viewport = new Viewport(canvas);
    const orbit = new Orbit(viewport);
    const stage = new Stage(viewport, this.labels, () => {
      this.worldIsSeen = true;
      orbit.frame(stage.extents());
      this.refresh();
    });
    this.stage = stage;
    this.orbit = orbit;
    this.pointer = new Pointer(viewport, stage, this.labels, this.point);
    this.fingers = new Fingers(viewport, stage, this.labels);
    this.candidates = new Candidates(viewport, this.labels, this.answer);
    const layers = LAYERS.map(({ layer, name }) => {
      const button: HTMLButtonElement = h(
        "button",
        { class: "chip", attributes: { type: "button", "aria-pressed": "true" }, title: `Show or hide: ${name}`,
          onclick: () => {
            const shown = button.getAttribute("aria-pressed") !== "true";
            button.setAttribute("aria-pressed", String(shown));
            stage.setVisible(layer, shown);
          },
        },
        name,
      );
      return button;
    });
    const reset = h("button", { class: "chip", attributes: { type: "button" }, title: "See all of the robot and what stands around it",
      onclick: () => {
        orbit.frame(stage.extents());
        orbit.home();
      } }, "Reset view");
    return h("div", { class: "scene-tools", attributes: { role: "group", "aria-label": "Layers" } }, ...layers, reset);
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
    const view = this.stage?.view(line.id);
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
    this.stage?.refresh(now);
    this.rows.show([...this.lines.values()]);
    this.pictures.refresh(now);
    this.empty.hidden = this.lines.size > 0 || this.worldIsSeen; // the robot is something
  }
}
