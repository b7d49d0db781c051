// The things between which somebody is asked, as boxes in the scene, each with the number of its answer: a press on the
// number is that answer.

import * as THREE from "three";
import { h } from "../elements";
import type { OptionThing, Question } from "../protocol";
import type { Viewport } from "./viewport";

const COLOUR = 0xc79bf2;
/** Around the thing, so that its own sides do not hide the lines [m]. */
const MARGIN_M = 0.02;
/** What is thinner, or has no size, is drawn as if it were so large [m]. */
const LEAST_M = 0.06;

interface Candidate {
  readonly box: THREE.LineSegments<THREE.EdgesGeometry, THREE.LineBasicMaterial>;
  readonly tag: HTMLElement;
  readonly top: THREE.Vector3;
}

export class Candidates {
  private readonly material = new THREE.LineBasicMaterial({ color: COLOUR, depthTest: false, transparent: true, fog: false });
  private shown: readonly Candidate[] = [];
  private of = "";

  /** `overlay`: an element of the viewport's size over it. */
  constructor(
    private readonly viewport: Viewport,
    private readonly overlay: HTMLElement,
    private readonly onAnswer: (question: string, choice: number) => void,
  ) {
    viewport.onBeforeRender(() => this.place());
  }

  /** Of this question; null: there is none. */
  show(question: Question | null): void {
    const now = question === null ? "" : `${question.id} ${JSON.stringify(question.things)}`;
    if (now === this.of) return;
    this.of = now;
    for (const { box, tag } of this.shown) {
      box.removeFromParent();
      box.geometry.dispose();
      tag.remove();
    }
    this.shown = (question?.things ?? []).map((thing) => this.candidate(question!, thing));
    this.viewport.invalidate();
  }

  private candidate(question: Question, { choice, world_T_thing: [x, y, z, ...turn], size }: OptionThing): Candidate {
    const [along, across, up] = size.map((side) => Math.max(side, LEAST_M) + 2 * MARGIN_M) as [number, number, number];
    const solid = new THREE.BoxGeometry(along, across, up);
    const box = new THREE.LineSegments(new THREE.EdgesGeometry(solid), this.material);
    solid.dispose();
    box.position.set(x, y, z);
    box.quaternion.set(...turn);
    box.renderOrder = 4;
    this.viewport.scene.add(box);
    // The question itself has the same answers for who does not see the scene.
    const tag = h("button", { class: "candidate", title: question.options[choice - 1] ?? "", attributes: { type: "button", tabindex: "-1" },
      onclick: () => this.onAnswer(question.id, choice) }, String(choice));
    this.overlay.append(tag);
    return { box, tag, top: new THREE.Vector3(0, 0, up / 2).applyQuaternion(box.quaternion).add(box.position) };
  }

  private place(): void {
    for (const { tag, top } of this.shown) {
      const at = this.viewport.project(top);
      tag.hidden = at === null;
      if (at !== null) tag.style.transform = `translate(${at.x}px, ${at.y}px) translate(-50%, -100%)`;
    }
  }
}
