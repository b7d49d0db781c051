// The things between which somebody is asked, as boxes in the scene, each with the number of its answer: a press on the
// number is that answer. In a headset, where no page is over the scene, the numbers stand in it.

import * as THREE from "three";
import { h } from "../elements";
import type { OptionThing } from "../protocol";
import "./candidates.css";

/** Where they are drawn: the console's scene, or an operator's picture. */
export interface Scenery {
  /** What boxes are put into; their poses are in its axes. */
  readonly parent: THREE.Object3D;
  /** Where a point in those axes is in the window [px]; null if it is behind the viewer, or there is no window. */
  project(point: THREE.Vector3): { readonly x: number; readonly y: number } | null;
  onBeforeRender(callback: () => void): void;
  invalidate(): void;
  /** Whether it is drawn for a headset, where nothing of the page is seen. */
  readonly isWorn: boolean;
}

export interface ChoiceThing {
  readonly choice: number;
  readonly pose: OptionThing["world_T_thing"];
  /** Along its own axes [m]. */
  readonly size: readonly [number, number, number];
}

/** A question of which some answers are things. */
export interface Choice {
  readonly id: string;
  readonly options: readonly string[];
  readonly things: readonly ChoiceThing[];
}

const COLOUR = 0xc79bf2;
/** Around the thing, so that its own sides do not hide the lines [m]. */
const MARGIN_M = 0.02;
/** What is thinner, or has no size, is drawn as if it were so large [m]. */
const LEAST_M = 0.06;

/** So large is a number in the scene itself, for who wears it [m]. */
const WORN_M = 0.09;

/** So wide is a number, and so far above its thing it stands [px]. */
const WIDTH_PX = 36;
const ABOVE_PX = 16;

interface Candidate {
  readonly box: THREE.LineSegments<THREE.EdgesGeometry, THREE.LineBasicMaterial>;
  readonly tag: HTMLElement;
  /** From the number to the thing, where others are in between. */
  readonly line: HTMLElement;
  /** The number in the scene itself. */
  readonly sprite: THREE.Sprite;
  readonly top: THREE.Vector3;
}

export class Candidates {
  private readonly material = new THREE.LineBasicMaterial({ color: COLOUR, depthTest: false, transparent: true, fog: false });
  private shown: readonly Candidate[] = [];
  private of = "";

  /** `overlay`: an element of the scenery's size over it. */
  constructor(
    private readonly scenery: Scenery,
    private readonly overlay: HTMLElement,
    private readonly onAnswer: (question: string, choice: number) => void,
  ) {
    scenery.onBeforeRender(() => this.place());
  }

  /** Of this question; null: there is none. */
  show(question: Choice | null): void {
    const now = question === null ? "" : `${question.id} ${JSON.stringify(question.things)}`;
    if (now === this.of) return;
    this.of = now;
    for (const { box, tag, line, sprite } of this.shown) {
      box.removeFromParent();
      box.geometry.dispose();
      sprite.removeFromParent();
      sprite.material.map?.dispose();
      sprite.material.dispose();
      tag.remove();
      line.remove();
    }
    this.shown = (question?.things ?? []).map((thing) => this.candidate(question!, thing));
    this.scenery.invalidate();
  }

  private candidate(question: Choice, { choice, pose: [x, y, z, ...turn], size }: ChoiceThing): Candidate {
    const [along, across, up] = size.map((side) => Math.max(side, LEAST_M) + 2 * MARGIN_M) as [number, number, number];
    const solid = new THREE.BoxGeometry(along, across, up);
    const box = new THREE.LineSegments(new THREE.EdgesGeometry(solid), this.material);
    solid.dispose();
    box.position.set(x, y, z);
    box.quaternion.set(...turn);
    box.renderOrder = 4;
    this.scenery.parent.add(box);
    // The question itself has the same answers for who does not see the scene.
    const tag = h("button", { class: "candidate", title: question.options[choice - 1] ?? "", attributes: { type: "button", tabindex: "-1" },
      onclick: () => this.onAnswer(question.id, choice) }, String(choice));
    const line = h("span", { class: "candidate-line" });
    this.overlay.append(line, tag);
    const top = new THREE.Vector3(0, 0, up / 2).applyQuaternion(box.quaternion).add(box.position);
    const sprite = numbered(choice);
    sprite.position.copy(top).z += WORN_M / 2;
    this.scenery.parent.add(sprite);
    return { box, tag, line, sprite, top };
  }

  /** Each number above its thing, and beside those of its neighbours. */
  private place(): void {
    const { isWorn } = this.scenery;
    const seen = this.shown.flatMap(({ tag, line, sprite, top }) => {
      sprite.visible = isWorn;
      const at = this.scenery.project(top);
      tag.hidden = line.hidden = at === null;
      return at === null ? [] : [{ tag, line, ...at }];
    });
    seen.sort((one, other) => one.x - other.x);
    const xs = apart(seen.map(({ x }) => x), WIDTH_PX);
    seen.forEach(({ tag, line, x, y }, index) => {
      const [right, down] = [(xs[index] ?? x) - x, -ABOVE_PX];
      tag.style.transform = `translate(${x + right}px, ${y + down}px) translate(-50%, -100%)`;
      line.style.width = `${Math.hypot(right, down)}px`;
      line.style.transform = `translate(${x}px, ${y}px) rotate(${Math.atan2(down, right)}rad)`;
    });
  }
}

/** A number that always faces whoever looks. */
function numbered(choice: number): THREE.Sprite {
  const canvas = h("canvas", { attributes: { width: "128", height: "128" } });
  const pen = canvas.getContext("2d");
  if (pen !== null) {
    pen.fillStyle = "#241a33";
    pen.strokeStyle = "#c79bf2";
    pen.lineWidth = 8;
    pen.beginPath();
    pen.arc(64, 64, 58, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    pen.fillStyle = "#fff";
    pen.font = "700 76px sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(choice), 64, 68);
  }
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), depthTest: false, fog: false }));
  sprite.scale.set(WORN_M, WORN_M, 1);
  sprite.renderOrder = 5;
  sprite.visible = false;
  return sprite;
}

/** Numbers in their order (ascending), moved as little as it takes for each to be so far from the one before. */
export function apart(wanted: readonly number[], gap: number): number[] {
  // Those that touch are a row, whose middle is where theirs was.
  const rows: { sum: number; count: number }[] = [];
  const left = ({ sum, count }: { sum: number; count: number }): number => sum / count - ((count - 1) * gap) / 2;
  for (const each of wanted) {
    let row = { sum: each, count: 1 };
    for (let before = rows.at(-1); before !== undefined && left(before) + before.count * gap > left(row); before = rows.at(-1)) {
      rows.pop();
      row = { sum: before.sum + row.sum, count: before.count + row.count };
    }
    rows.push(row);
  }
  return rows.flatMap((row) => Array.from({ length: row.count }, (_, index) => left(row) + index * gap));
}
