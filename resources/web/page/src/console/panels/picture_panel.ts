// The pictures of the cameras that are shown, in a corner of the scene; a click makes one large.

import { h, setText } from "../../elements";
import * as THREE from "three";
import type { SampleHeader, ViewLine } from "../../protocol";
import type { Sample } from "../../samples";
import { inWords } from "../../scene/cursor";
import { span } from "../../words";

const STALE_S = 1.0;
interface Picture {
  readonly figure: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly caption: HTMLElement;
  line: ViewLine;
  takenAt: number;
  busy: boolean;
  /** Where the camera was: position and quaternion x y z w; null if nobody knows. */
  world_T_camera: SampleHeader["world_T_frame"];
}

export interface PictureEvents {
  /**
   * The mouse is there in the window, since then (performance.now()'s clock). ray: from the camera through what it is on (world, direction of length 1);
   * draw: draws a cursor there, or takes it away.
   */
  over(at: readonly [number, number], since: number, ray: () => THREE.Ray, draw: (counts: boolean) => void): void;
  /** at: when, on the same clock. */
  left(at: number): void;
}

export class PicturePanel {
  readonly element = h("div", { class: "pictures" });
  private readonly pictures = new Map<string, Picture>();
  /** What the cursor is on. */
  private readonly name = h("span", { class: "cursor-label" }, inWords([]));
  private readonly cursor = h("span", { class: "picture-cursor", attributes: { "aria-hidden": "true" } }, this.name);

  constructor(private readonly events: PictureEvents) {}

  /** Drop the pictures of views that are shown no more. */
  keep(lines: readonly ViewLine[]): void {
    const wanted = new Set(lines.map((line) => line.id));
    for (const [id, picture] of this.pictures) {
      if (wanted.has(id)) continue;
      picture.figure.remove();
      this.pictures.delete(id);
      this.events.left(performance.now()); // a mouse over it is told nothing
    }
  }

  show(line: ViewLine, sample: Sample): void {
    const picture = this.pictures.get(line.id) ?? this.open(line);
    picture.line = line;
    if (picture.busy) return; // a slow machine shows fewer pictures, never old ones
    picture.busy = true;
    createImageBitmap(new Blob([sample.picture], { type: "image/jpeg" }))
      .then((bitmap) => {
        picture.takenAt = sample.takenAt;
        picture.world_T_camera = sample.header.world_T_frame;
        picture.canvas.width = bitmap.width;
        picture.canvas.height = bitmap.height;
        picture.canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
        bitmap.close();
        this.refresh(performance.now());
      })
      .catch((error: unknown) => console.error(`the picture of ${line.title} cannot be read`, error))
      .finally(() => {
        picture.busy = false;
      });
  }

  /** What is pointed at, in words. */
  showPointedAt(words: string): void {
    setText(this.name, words);
  }

  /** The cursor, at this share of a picture's width and height; null: it is not in that picture. */
  private draw(picture: HTMLElement, at: readonly [number, number] | null): void {
    if (at === null) {
      this.cursor.remove();
      return;
    }
    this.cursor.style.left = `${100 * at[0]}%`;
    this.cursor.style.top = `${100 * at[1]}%`;
    picture.append(this.cursor);
  }

  age(id: string, now: number): number | null {
    const picture = this.pictures.get(id);
    return picture === undefined ? null : (now - picture.takenAt) / 1000;
  }

  /** Whether a view's picture gets no newer. */
  isStale(id: string, now: number): boolean {
    const picture = this.pictures.get(id);
    return picture !== undefined && now - picture.takenAt > 1000 * Math.max(STALE_S, 4 / Math.max(picture.line.rate_hz, 0.1));
  }

  /** Say how old pictures are that get no newer. */
  refresh(now: number): void {
    for (const picture of this.pictures.values()) {
      const age = (now - picture.takenAt) / 1000;
      const stale = this.isStale(picture.line.id, now);
      picture.figure.classList.toggle("stale", stale);
      setText(picture.caption, stale ? `${picture.line.title} · ${span(age)} old` : picture.line.title);
    }
  }

  private open(line: ViewLine): Picture {
    const canvas = h("canvas", { attributes: { role: "img", "aria-label": `Picture of ${line.title}` } });
    const caption = h("figcaption", {}, line.title);
    const figure: HTMLElement = h("figure", { class: "picture" });
    const button = h("button", {
      class: "picture-button",
      title: "Make it large or small",
      attributes: { type: "button", "aria-label": `${line.title}: make the picture large or small` },
      onclick: () => figure.classList.toggle("large"),
    }, canvas);
    figure.append(button, caption);
    this.element.append(figure);
    const picture: Picture = { figure, canvas, caption, line, takenAt: performance.now(), busy: false, world_T_camera: null };
    canvas.addEventListener("pointermove", ({ clientX, clientY, pointerType, timeStamp }) => {
      if (pointerType === "touch" || picture.line.intrinsics === null || picture.world_T_camera === null) return;
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const at = [(clientX - left) / width, (clientY - top) / height] as const;
      this.events.over([clientX, clientY], timeStamp, () => through(picture, at), (counts) => this.draw(button, counts ? at : null));
    });
    canvas.addEventListener("pointerleave", ({ timeStamp }) => this.events.left(timeStamp));
    this.pictures.set(line.id, picture);
    return picture;
  }
}

/** From a camera through a place of its picture (share of width and height): pinhole, x right, y down, z ahead. */
function through(picture: Picture, [right, down]: readonly [number, number]): THREE.Ray {
  const lens = picture.line.intrinsics!;
  const [u, v] = [right * lens.width - 0.5, down * lens.height - 0.5];
  const [x, y, z, qx, qy, qz, qw] = picture.world_T_camera!;
  const direction = new THREE.Vector3((u - lens.cx) / lens.fx, (v - lens.cy) / lens.fy, 1).normalize();
  return new THREE.Ray(new THREE.Vector3(x, y, z), direction.applyQuaternion(new THREE.Quaternion(qx, qy, qz, qw)));
}
