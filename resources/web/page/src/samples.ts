// Binary messages: a head of 512 bytes, then points, a JPEG picture, poses. See resources/web/samples.py.

import { HEAD_BYTES, POINT_BYTES, POSE_BYTES, type SampleHeader } from "./protocol";

export interface Sample {
  readonly header: SampleHeader;
  /** Position x y z [m] and four bytes of colour, 16 bytes each. */
  readonly points: Uint8Array<ArrayBuffer>;
  readonly picture: Uint8Array<ArrayBuffer>;
  /** Position x y z [m] and quaternion x y z w, 7 numbers each. */
  readonly poses: Float32Array<ArrayBuffer>;
  /** When it was taken, on this page's clock [ms]. */
  readonly takenAt: number;
}

/** Take a message apart; throws an Error with words if it is none of ours. */
export function decodeSample(message: ArrayBuffer, now: number): Sample {
  if (message.byteLength < HEAD_BYTES) throw new Error(`a sample of ${message.byteLength} bytes is too short`);
  const length = new DataView(message).getUint32(0, true);
  if (length > HEAD_BYTES - 4) throw new Error(`a sample's header of ${length} bytes is too long`);
  const text = new TextDecoder().decode(new Uint8Array(message, 4, length));
  const header = JSON.parse(text) as SampleHeader;
  const pointBytes = header.points * POINT_BYTES;
  const expected = HEAD_BYTES + pointBytes + header.picture + header.poses * POSE_BYTES;
  if (expected !== message.byteLength) {
    throw new Error(`a sample of ${message.byteLength} bytes should have ${expected}`);
  }
  const pictureAt = HEAD_BYTES + pointBytes;
  const posesAt = pictureAt + header.picture;
  return {
    header,
    points: new Uint8Array(message, HEAD_BYTES, pointBytes),
    picture: new Uint8Array(message, pictureAt, header.picture),
    poses: new Float32Array(message.slice(posesAt)), // sliced: a picture before it may end anywhere
    takenAt: now - header.age_s * 1000,
  };
}
