// The stop as a request of its own: only `stop_confirmed` confirms it.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { postStop } from "../../src/emergency_stop";

const fetched = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetched;
});

const CONFIRMED = { type: "stop_confirmed", id: "0123456789ab-1", latched: true };
const BEARER = { Authorization: "Bearer of this session" };
const BODY = { type: "stop_now", id: CONFIRMED.id };

function answers(answer: (path: string, request: RequestInit) => Promise<Response>): void {
  globalThis.fetch = ((path: string, request: RequestInit) => answer(path, request)) as typeof fetch;
}

test("it is a POST of the press that nothing keeps", async () => {
  const asked: unknown[] = [];
  answers(async (path, { method, cache, headers, body }) => {
    asked.push([path, method, cache, headers, JSON.parse(String(body))]);
    return new Response(JSON.stringify(CONFIRMED));
  });
  assert.deepEqual(await postStop("/stop", BODY, BEARER), CONFIRMED);
  assert.deepEqual(asked, [["/stop", "POST", "no-store", { "Content-Type": "application/json", ...BEARER }, BODY]]);
});

for (const [status, body] of [[200, ""], [200, "{}"], [200, "null"], [401, JSON.stringify(CONFIRMED)], [503, "{}"]] as const) {
  test(`${status} ${body || "and nothing"} confirms nothing`, async () => {
    answers(async () => new Response(body, { status }));
    assert.equal(await postStop("/stop", BODY, BEARER), null);
  });
}

test("no network confirms nothing", async () => {
  answers(async () => Promise.reject(new TypeError("Failed to fetch")));
  assert.equal(await postStop("/stop", BODY, BEARER), null);
});

test("who does not answer in time has not confirmed it", async () => {
  answers((_, { signal }) => new Promise((_resolve, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))));
  assert.equal(await postStop("/stop", BODY, BEARER, 5), null);
});
