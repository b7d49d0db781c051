// The tool is where no panel is, wherever it goes, and the picture is moved no further than that takes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MARGIN, shiftFor, type Point } from "../../src/operator/scene/free_part";

const WINDOW = { width: 390, height: 844 };
const FREE = { left: 8, top: 100, width: 374, height: 560 };

test("nothing is moved for a tool that is seen", () => {
  for (const at of [[195, 400], [8 + MARGIN, 100 + MARGIN], [382 - MARGIN, 660 - MARGIN]] as const) assert.deepEqual(shiftFor(at, FREE, WINDOW), [0, 0]);
});

test("a tool behind a panel is brought to its edge, and not further", () => {
  for (let x = 0; x <= WINDOW.width; x += 13) {
    for (let y = 0; y <= WINDOW.height; y += 13) {
      const [right, down] = shiftFor([x, y], FREE, WINDOW);
      assert.ok(x + right >= FREE.left + MARGIN && x + right <= FREE.left + FREE.width - MARGIN);
      assert.ok(y + down >= FREE.top + MARGIN && y + down <= FREE.top + FREE.height - MARGIN);
      if (y >= FREE.top + MARGIN && y <= FREE.top + FREE.height - MARGIN) assert.equal(down, 0);
    }
  }
});

test("who looks elsewhere is left to, without a jump", () => {
  assert.deepEqual(shiftFor([195, 2000], FREE, WINDOW).map(Math.abs), [0, 0]);
  let before: Point = shiftFor([195, 600], FREE, WINDOW);
  for (let y = 600; y < 1200; y += 1) {
    const now = shiftFor([195, y], FREE, WINDOW);
    assert.ok(Math.abs(now[1] - before[1]) < 4);
    before = now;
  }
});

test("where nearly nothing is free it is in the middle of that", () => {
  assert.deepEqual(shiftFor([100, 500], { left: 0, top: 200, width: 390, height: 20 }, WINDOW), [0, -290]);
});
