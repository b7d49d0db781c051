// The emergency stop goes both ways at once, and the person is told what came of it.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { stopEverything } from "../../src/operator/ui/emergency";

const fetched = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetched;
});

for (const [hasLink, status, said] of [
  [true, 503, [["emergency", /^You pressed/]]],
  [false, 204, [["emergency", /sending it over https/], ["emergency", /taken/]]],
  [false, 401, [["emergency", /sending it over https/], ["error", /NOT sent/]]],
] as const) {
  test(`${hasLink ? "with" : "without"} a link, and ${status} over https`, async () => {
    const [posted, sent, notes]: [string[], unknown[], (readonly [string, string])[]] = [[], [], []];
    globalThis.fetch = (async (path: string) => {
      posted.push(path);
      return new Response(null, { status });
    }) as typeof fetch;
    await stopEverything((message) => sent.push(message) > 0 && hasLink, (kind, words) => notes.push([kind, words]));
    assert.deepEqual([posted, sent], [["/stop"], [{ type: "stop_now" }]]);
    assert.equal(notes.length, said.length);
    said.forEach(([kind, words], index) => {
      assert.equal(notes[index]![0], kind);
      assert.match(notes[index]![1], words);
    });
  });
}
