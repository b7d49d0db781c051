// Both halves of the sound's format read the same bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeSound } from "../../src/sound/packets";

function hex(buffer: ArrayBuffer): string {
  return Buffer.from(buffer).toString("hex");
}

// The same bytes stand in tests/resources/web/test_sound_packets.py.
test("a block is packed as the other side unpacks it", () => {
  assert.equal(hex(encodeSound({ talk: 7, sequence: 258, samples: Int16Array.of(1, -2, 32_767), ending: "" })), "5048533107000000020100000300000001 00feffff7f".replace(" ", ""));
  assert.equal(hex(encodeSound({ talk: 2 ** 32 - 1, sequence: 0, samples: Int16Array.of(5), ending: "last" })), "50485331ffffffff00000000010001000500");
  assert.equal(hex(encodeSound({ talk: 1, sequence: 3, samples: new Int16Array(0), ending: "broken off" })), "50485331010000000300000000000200");
});
