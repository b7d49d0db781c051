// Words in a headset, where there is no page: a small board before the operator, low, with the clutch's colour.

import * as THREE from "three";

const WIDTH = 640;
const HEIGHT = 250;
/** Where it hangs before the eye [m]. */
const AT: readonly [number, number, number] = [0, -0.44, -0.9];

export class Board {
  readonly object: THREE.Mesh;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private shown = "";

  constructor() {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.object = new THREE.Mesh(
      new THREE.PlaneGeometry(0.48, (0.48 * HEIGHT) / WIDTH),
      new THREE.MeshBasicMaterial({ map: this.texture, transparent: true, depthTest: false }),
    );
    this.object.renderOrder = 10;
    this.object.visible = false;
  }

  /** `colour`: of the state; lines from the top. */
  say(colour: string, lines: readonly string[]): void {
    const wanted = colour + lines.join("\n");
    if (wanted === this.shown) return;
    this.shown = wanted;
    const draw = this.canvas.getContext("2d")!;
    draw.clearRect(0, 0, WIDTH, HEIGHT);
    draw.fillStyle = "#12181ee6";
    draw.fillRect(0, 0, WIDTH, HEIGHT);
    draw.fillStyle = colour;
    draw.fillRect(0, 0, 14, HEIGHT);
    draw.fillStyle = "#dbe3ea";
    let y = 12;
    lines.forEach((line, index) => {
      const size = index === 0 ? 40 : 28;
      draw.font = `${index === 0 ? "bold " : ""}${size}px system-ui, sans-serif`;
      for (const row of rows(line, (text) => draw.measureText(text).width)) draw.fillText(row, 34, (y += 1.25 * size));
    });
    this.texture.needsUpdate = true;
  }

  /** Hang it before the eye; it follows with a delay, or it would feel glued to the face. */
  follow(eye: THREE.Camera): void {
    const [at, turn] = [new THREE.Vector3(), new THREE.Quaternion()];
    eye.matrixWorld.decompose(at, turn, new THREE.Vector3());
    const share = this.object.visible ? 0.15 : 1;
    this.object.position.lerp(at.add(new THREE.Vector3(...AT).applyQuaternion(turn)), share);
    this.object.quaternion.slerp(turn, share);
    this.object.visible = true;
  }
}

/** A sentence in rows of the board's width. */
function rows(line: string, width: (text: string) => number): readonly string[] {
  const found: string[] = [];
  for (const word of line.split(" ").filter(Boolean)) {
    const last = found.at(-1);
    if (last !== undefined && width(`${last} ${word}`) < WIDTH - 55) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
}
