// The stop's second way, for a page whose link is lost: it counts as sent only if it was taken.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { stopOverHttp } from "../../src/operator/link/stop";

const fetched = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetched;
});

function answers(answer: (path: string, request: RequestInit) => Promise<Response>): void {
  globalThis.fetch = ((path: string, request: RequestInit) => answer(path, request)) as typeof fetch;
}

test("it is a POST that nothing keeps, and taken with 204", async () => {
  const asked: unknown[] = [];
  answers(async (path, request) => {
    asked.push([path, request.method, request.cache]);
    return new Response(null, { status: 204 });
  });
  assert.equal(await stopOverHttp(), true);
  assert.deepEqual(asked, [["/stop", "POST", "no-store"]]);
});

for (const status of [200, 401, 403, 503]) {
  test(`an answer of ${status} is none`, async () => {
    answers(async () => new Response("", { status }));
    assert.equal(await stopOverHttp(), false);
  });
}

test("no network is none", async () => {
  answers(async () => Promise.reject(new TypeError("Failed to fetch")));
  assert.equal(await stopOverHttp(), false);
});

test("who does not answer in time has not taken it", async () => {
  answers((_, { signal }) => new Promise((_resolve, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))));
  assert.equal(await stopOverHttp(5), false);
});
