// Blocks of sound as they go to the server: the page's half of resources/web/sound_packets.py.

import { SOUND_BROKEN_OFF, SOUND_HEAD_BYTES, SOUND_LAST, SOUND_MAGIC } from "../protocol";

export type Ending = "" | "last" | "broken off";

/** What a microphone gives of a talk. samples: 512, fewer only of its end. */
export interface SoundBlock {
  readonly talk: number;
  /** So many came before it. */
  readonly sequence: number;
  readonly samples: Int16Array;
  readonly ending: Ending;
}

export function encodeSound({ talk, sequence, samples, ending }: SoundBlock): ArrayBuffer {
  const message = new ArrayBuffer(SOUND_HEAD_BYTES + 2 * samples.length);
  const view = new DataView(message);
  view.setUint32(0, SOUND_MAGIC, true);
  view.setUint32(4, talk, true);
  view.setUint32(8, sequence, true);
  view.setUint16(12, samples.length, true);
  view.setUint16(14, ending === "last" ? SOUND_LAST : ending === "broken off" ? SOUND_BROKEN_OFF : 0, true);
  samples.forEach((sample, index) => view.setInt16(SOUND_HEAD_BYTES + 2 * index, sample, true));
  return message;
}
