// One view in the 3-D scene: its points, scan or markers, the sensor's frame, and how old it all is.

import * as THREE from "three";
import type { ViewLine } from "../protocol";
import type { Sample } from "../samples";
import { Markers } from "./markers";
import { Points } from "./points";
import { ScanArea } from "./scan_area";
import type { Viewport } from "./viewport";

/** Older than this many periods, and than this many seconds: its samples have stopped. */
const PERIODS = 4;
const LEAST_S = 1.0;

export class ShownView {
  readonly object = new THREE.Group();
  line: ViewLine;
  private takenAt: number | null = null;
  private seen = 0;
  private grey = false;
  private readonly points: Points | null;
  private readonly area: ScanArea | null;
  private readonly markers: Markers | null;
  private readonly frame = new THREE.AxesHelper(0.18);

  constructor(line: ViewLine, viewport: Viewport, overlay: HTMLElement) {
    this.line = line;
    const scan = line.source === "scan";
    const poses = line.source === "poses";
    this.points = poses ? null : scan ? new Points(0.05, 4) : new Points(0.016, 2);
    this.area = scan ? new ScanArea() : null;
    this.markers = poses ? new Markers(viewport, overlay, line.title) : null;
    this.frame.visible = false;
    for (const part of [this.points, this.area, this.markers]) if (part !== null) this.object.add(part.object);
    this.object.add(this.frame);
  }

  show(sample: Sample): void {
    this.takenAt = sample.takenAt;
    const { header } = sample;
    this.points?.set(sample.points);
    const place = header.world_T_frame;
    this.area?.set(sample.points, place ?? []);
    this.markers?.set(sample.poses);
    this.seen = header.points + header.poses;
    this.frame.visible = this.points !== null && this.seen > 0 && place !== null;
    if (place === null) return;
    this.frame.position.fromArray(place);
    this.frame.quaternion.fromArray(place, 3);
  }

  /** Age of what is shown [s]; null before the first sample. */
  age(now: number): number | null {
    return this.takenAt === null ? null : Math.max(0, now - this.takenAt) / 1000;
  }

  /** Whether nothing new came for too long. */
  isStale(now: number): boolean {
    const age = this.age(now);
    return age !== null && age > Math.max(LEAST_S, PERIODS / Math.max(this.line.rate_hz, 0.1));
  }

  /** Whether it is there, but what it looks for is not to be seen. */
  get isEmpty(): boolean {
    return this.takenAt !== null && this.markers !== null && this.seen === 0;
  }

  /** Turn grey when old; returns whether that changed. */
  refresh(now: number): boolean {
    const grey = this.isStale(now);
    if (grey === this.grey) return false;
    this.grey = grey;
    for (const part of [this.points, this.area, this.markers]) part?.setGrey(grey);
    return true;
  }

  /** Before each picture. */
  prepare(pixelsPerMetre: number): void {
    this.points?.setScale(pixelsPerMetre);
    this.markers?.placeLabel();
  }

  /** Its measured points, which a ray can meet; null if there are none, or they are old. */
  get target(): THREE.Points | null {
    return this.object.visible && !this.grey && this.seen > 0 ? (this.points?.object ?? null) : null;
  }

  setPointsVisible(visible: boolean): void {
    this.object.visible = visible;
  }

  dispose(): void {
    this.object.removeFromParent();
    for (const part of [this.points, this.area, this.markers]) part?.dispose();
    this.frame.dispose();
  }
}
