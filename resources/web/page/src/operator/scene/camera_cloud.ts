// The camera's cloud where it was measured; grey, with its age in words, when it has stopped.

import type * as THREE from "three";
import { Points } from "../../scene/points";
import { span } from "../../words";
import { Clouds, decodeChunk } from "../link/cloud";
import type { CameraPart } from "../link/protocol";
import type { Picture } from "./picture";

/** Older than this it has stopped [ms]: even a slow camera sends twice a second. */
const OLD_MS = 1200;

export class CameraCloud {
  private readonly points = new Points(0.011, 2);
  private readonly clouds = new Clouds();
  private camera: CameraPart | null = null;
  private why = "";
  private grey = false;

  constructor(private readonly picture: Picture) {
    picture.robot.add(this.points.object);
  }

  /** Which camera is drawn; null: none, `words` say why. */
  show(camera: CameraPart | null, words: string): void {
    if (camera?.device !== this.camera?.device) this.clear();
    this.camera = camera;
    this.why = words;
  }

  /** Nothing of the link before is drawn on. */
  clear(): void {
    this.clouds.clear();
    this.points.set(new Uint8Array(0));
    this.picture.invalidate();
  }

  take(data: ArrayBuffer, now: number): void {
    this.clouds.take(decodeChunk(data), now);
  }

  /** Before each picture. */
  refresh(now: number): void {
    const points = this.clouds.points();
    const age = this.clouds.age(now);
    const grey = age !== null && age > OLD_MS;
    if (points === null && grey === this.grey) return;
    if (points !== null) this.points.set(points);
    this.grey = grey;
    this.points.setGrey(grey);
    this.points.setScale(this.picture.pixelsPerMetre);
    this.picture.invalidate();
  }

  /** What a ray can meet; null while nothing is measured. */
  get target(): THREE.Points | null {
    return this.grey || this.clouds.age(performance.now()) === null ? null : this.points.object;
  }

  /** What is to be said of it; "" while it is well. */
  words(now: number): string {
    if (this.camera === null) return this.why;
    const age = this.clouds.age(now);
    return age !== null && age > OLD_MS ? `Camera silent: the cloud is ${span(age / 1000)} old` : "";
  }
}
