// A camera's cloud, put together from its chunks. Layout: resources/operator/cloud.py, its other half. Pure.

import {
  CLOUD_HEAD_BYTES as HEAD_BYTES,
  CLOUD_MAGIC as MAGIC,
  CLOUD_POINT_BYTES as PACKED_BYTES,
  CLOUD_VERSION as VERSION,
  DRAWN_POINT_BYTES as DRAWN_BYTES, // as scene/points.ts draws them: float32 x y z [m], uint8 red green blue alpha
} from "./protocol";

export interface CloudChunk {
  readonly cloud: number;
  readonly chunk: number;
  readonly chunks: number;
  readonly camera: number;
  /** Age of the camera's sample when this was sent [ms]. */
  readonly age: number;
  /** 16 bytes each, in the robot's frame. */
  readonly points: Uint8Array<ArrayBuffer>;
}

/** Throws an Error with words if it is no chunk. */
export function decodeChunk(data: ArrayBuffer): CloudChunk {
  const view = new DataView(data);
  if (data.byteLength < HEAD_BYTES || (data.byteLength - HEAD_BYTES) % PACKED_BYTES !== 0) {
    throw new Error(`a cloud's chunk cannot have ${data.byteLength} bytes`);
  }
  const [kind, version] = [view.getUint8(0), view.getUint8(1)];
  if (kind !== MAGIC || version !== VERSION) throw new Error(`packet ${kind} of version ${version} is no cloud of version ${VERSION}`);
  const count = (data.byteLength - HEAD_BYTES) / PACKED_BYTES;
  const points = new Uint8Array(count * DRAWN_BYTES);
  const drawn = new DataView(points.buffer);
  for (let index = 0; index < count; index += 1) {
    const from = HEAD_BYTES + PACKED_BYTES * index;
    const to = DRAWN_BYTES * index;
    for (let axis = 0; axis < 3; axis += 1) drawn.setFloat32(to + 4 * axis, view.getInt16(from + 2 * axis, true) / 1000, true);
    const colour = view.getUint16(from + 6, true);
    points[to + 12] = Math.round(((colour >> 11) * 255) / 31);
    points[to + 13] = Math.round((((colour >> 5) & 63) * 255) / 63);
    points[to + 14] = Math.round(((colour & 31) * 255) / 31);
    points[to + 15] = 255;
  }
  return {
    cloud: view.getUint32(4, true), chunk: view.getUint16(8, true), chunks: view.getUint16(10, true),
    camera: view.getUint8(2), age: view.getFloat32(12, true), points,
  };
}

interface Cloud {
  readonly number: number;
  readonly chunks: number;
  readonly parts: Map<number, Uint8Array<ArrayBuffer>>;
}

/** Draws the newest cloud; the one before stays until the newer one is half there. What is older is thrown away. */
export class Clouds {
  private drawn: Cloud | null = null;
  private coming: Cloud | null = null;
  private changed = false;
  private takenAt: number | null = null; // of the newest sample, on this page's clock [ms]

  take(chunk: CloudChunk, now: number): void {
    const newest = this.coming?.number ?? this.drawn?.number ?? -1;
    if (chunk.cloud >= newest) this.takenAt = now - chunk.age;
    if (chunk.points.length === 0) return;
    if (chunk.cloud > newest) this.coming = { number: chunk.cloud, chunks: chunk.chunks, parts: new Map() };
    const cloud = [this.coming, this.drawn].find((each) => each?.number === chunk.cloud);
    if (cloud == null || cloud.parts.has(chunk.chunk)) return;
    cloud.parts.set(chunk.chunk, chunk.points);
    if (cloud === this.drawn) this.changed = true;
    else if (2 * cloud.parts.size >= cloud.chunks || this.drawn === null) {
      this.drawn = cloud;
      this.coming = null;
      this.changed = true;
    }
  }

  /** The points to draw, if they are others than at the last call. */
  points(): Uint8Array<ArrayBuffer> | null {
    if (!this.changed || this.drawn === null) return null;
    this.changed = false;
    const parts = [...this.drawn.parts.values()];
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  /** Age of what is drawn [ms]; null before the first. */
  age(now: number): number | null {
    return this.takenAt === null ? null : Math.max(0, now - this.takenAt);
  }

  /** Another link, another camera. */
  clear(): void {
    this.drawn = this.coming = this.takenAt = null;
  }
}
