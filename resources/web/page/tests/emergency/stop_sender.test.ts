// From a press to its confirmation, on a scripted clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIRMED_WITHIN_MS, POST_EVERY_MS, SAY_EVERY_MS, StopSender, type StopEffect } from "../../src/stop_sender";

const PAGE = "0123456789ab";
const HOUR_MS = 3_600_000;

class Scripted {
  readonly sender = new StopSender(PAGE);
  now = 1000;

  press(): readonly StopEffect[] {
    return this.sender.take({ kind: "pressed", now: this.now });
  }

  confirm(id: string, latched = true): readonly StopEffect[] {
    return this.sender.take({ kind: "confirmed", id, latched });
  }

  /** What it does until then, looked at every 50 ms. */
  after(ms: number): StopEffect[] {
    const effects: StopEffect[] = [];
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 50;
      effects.push(...this.sender.take({ kind: "tick", now: this.now }));
    }
    return effects;
  }
}

const states = (effects: readonly StopEffect[]): string[] => effects.flatMap((each) => (each.kind === "show" ? [each.state] : []));
const sent = (effects: readonly StopEffect[], kind: "say" | "post"): string[] => effects.flatMap((each) => (each.kind === kind ? [each.id] : []));

test("a press goes all ways at once, before anything is shown", () => {
  const id = `${PAGE}-1`;
  assert.deepEqual(new Scripted().press(), [{ kind: "say", id }, { kind: "post", id }, { kind: "show", state: "sent" }]);
});

test("it is sent again and again under the same id, until that is confirmed", () => {
  const page = new Scripted();
  page.press();
  const effects = page.after(HOUR_MS);
  for (const [kind, every] of [["say", SAY_EVERY_MS], ["post", POST_EVERY_MS]] as const) {
    const ids = sent(effects, kind);
    assert.equal(new Set(ids).size, 1);
    assert.ok(Math.abs(ids.length - HOUR_MS / every) <= 1, `${kind}: ${ids.length}`);
  }
  assert.deepEqual(states(effects), ["unconfirmed"]);
  assert.deepEqual(states(page.confirm(`${PAGE}-1`)), ["confirmed"]);
  assert.deepEqual(page.after(HOUR_MS), []);
});

test("without a confirmation it is said so after half a second, and not before", () => {
  const page = new Scripted();
  page.press();
  assert.deepEqual(states(page.after(CONFIRMED_WITHIN_MS - 50)), []);
  assert.deepEqual(states(page.after(50)), ["unconfirmed"]);
});

test("only its own id confirms it, once", () => {
  const page = new Scripted();
  page.press();
  for (const id of ["", "1", `${PAGE}-2`, "ba9876543210-1"]) assert.deepEqual(page.confirm(id), []);
  assert.ok(page.sender.isPending);
  assert.deepEqual(states(page.confirm(`${PAGE}-1`)), ["confirmed"]);
  assert.deepEqual(page.confirm(`${PAGE}-1`, false), []); // a second way's, later
  assert.equal(page.sender.state, "confirmed");
});

test("a stop that was reset before its confirmation came is not said to hold", () => {
  const page = new Scripted();
  page.press();
  assert.deepEqual(states(page.confirm(`${PAGE}-1`, false)), ["reset_since"]);
  assert.ok(!page.sender.isPending);
});

test("a later press has an id of its own, and takes the place of one that is not confirmed", () => {
  const page = new Scripted();
  page.press();
  page.after(CONFIRMED_WITHIN_MS);
  const again = page.press();
  assert.deepEqual([sent(again, "say"), sent(again, "post")], [[`${PAGE}-2`], [`${PAGE}-2`]]);
  assert.deepEqual(states(again), [], "nothing was confirmed by pressing");
  assert.deepEqual(page.confirm(`${PAGE}-1`), [], "it may have been reset since");
  assert.ok(sent(page.after(POST_EVERY_MS), "post").every((id) => id === `${PAGE}-2`));
  assert.deepEqual(states(page.confirm(`${PAGE}-2`)), ["confirmed"]);
  assert.deepEqual(states(page.press()), ["sent"]);
});
