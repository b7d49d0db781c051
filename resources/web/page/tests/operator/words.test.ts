// What the page says: states, scales, what this device cannot do; and patterns that are felt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linkFrames } from "../../src/operator/scene/kinematics";
import { Fineness } from "../../src/operator/scene/fineness";
import { pattern, PERIOD_MS } from "../../src/operator/touch/vibration";
import { capabilities, type Found } from "../../src/operator/ui/capabilities";
import { isAlsoYes, nextScale, spokenScale, withOwnWords } from "../../src/operator/ui/scales";
import { againWords, needsCode, scaleWords, SeatWords, shown, type Facts } from "../../src/operator/ui/state";
import { figures } from "../../src/operator/ui/link_figures";
import { mayReset, nextStep, type Step, type Where } from "../../src/operator/ui/step";
import { thenWords } from "../../src/operator/ui/words_box";
import { sameVector } from "./near";

const PHONE: Found = {
  secure: true, host: "192.168.1.5", ios: false, android: true, headset: false, coarse: true, xr: true, ar: true, vr: true, microphone: true,
  vibration: true, gyroscope: "there", hid: false, gamePad: true, webrtc: true,
};
const about = (found: Partial<Found>, name: string): { works: boolean; words: string } => capabilities({ ...PHONE, ...found }).find((each) => each.name === name)!;

test("a phone that can do everything says so", () => {
  assert.ok(["Link", "Moving the phone", "Speaking", "Feeling"].every((name) => about({}, name).works));
});

test("why something does not work, and what to do", () => {
  const plain = about({ secure: false, xr: false, ar: false, vr: false }, "Moving the phone");
  assert.ok(!plain.works && /https/.test(plain.words) && /192\.168\.1\.5/.test(plain.words) && /certificate/.test(plain.words));
  const iphone = { ios: true, android: false, xr: false, ar: false, vr: false, vibration: false, gyroscope: "ask" } as const;
  assert.match(about(iphone, "Moving the phone").words, /no WebXR.*gyroscope and touch are left.*walking/);
  assert.match(about(iphone, "Feeling").words, /sounds/);
  assert.match(about({ ar: false }, "Moving the phone").words, /Google Play Services for AR/);
  assert.match(about({ xr: false, ar: false, vr: false }, "Moving the phone").words, /Chrome on Android/);
  assert.match(about({ microphone: false }, "Speaking").words, /type instead/);
  assert.match(about({ webrtc: false }, "Link").words, /WebRTC/);
  assert.match(about({ coarse: false, android: false, ar: false, vr: false }, "Headset").words, /headset's own browser/);
  assert.match(about({ headset: true, secure: false, xr: false, ar: false, vr: false }, "Headset").words, /https/);
});

const READY: Facts = {
  link: { kind: "connected" }, stop: "none", emergency: "", fault: false, stopped: false, hangs: 0, seat: "ready", seatWords: "", holder: "phone 1", clutch: "open",
  reason: "", followed: false, baseOnly: false, driven: "the left arm", scale: 1, hasMaster: true, begin: "", trouble: "", atRest: true, deaf: 10, silence: 10, tooSlow: "", holdingView: false,
};

test("one colour and one sentence for how it is", () => {
  const cases: readonly (readonly [Partial<Facts>, string, RegExp])[] = [
    [{}, "idle", /^Ready: hold the clutch and move the left arm\.$/],
    [{ seatWords: "phone 1 drives the left arm" }, "idle", /^Ready: hold the clutch/], // that is no answer to "what now?"
    [{ clutch: "engaged", followed: true }, "engaged", /follows you\./],
    [{ clutch: "engaged", followed: true, scale: 0.2 }, "engaged", /1 : 5/],
    [{ clutch: "engaged", followed: true, holdingView: true }, "engaged", /stands still/],
    [{ clutch: "engaged", followed: true, holdingView: true, atRest: false }, "engaged", /^View held\.$/],
    [{ clutch: "engaged" }, "held", /Waiting/],
    [{ clutch: "engaged", followed: true, baseOnly: true, deaf: null }, "engaged", /base follows the stick/],
    [{ baseOnly: true, deaf: null }, "idle", /hold the clutch, then the stick/],
    [{ clutch: "broken", reason: "no pose for 130 ms" }, "held", /no pose for 130 ms.*press again/],
    [{ seat: "watching", holder: "" }, "idle", /Nobody drives.*Let me drive/],
    [{ seat: "watching", holder: "phone 2" }, "idle", /^Phone 2 drives\. Ask for the arm there, or on the console \(Hand the arm over\)\.$/],
    [{ seat: "watching", clutch: "broken", reason: "the arm let go", seatWords: "You do not drive any more: stop" }, "idle", /^You do not/],
    [{ seat: "watching", clutch: "broken", reason: "you are watching; say “let me drive”" }, "held", /you are watching/],
    [{ emergency: "stopped by phone 2" }, "stopped", /^Emergency stop: stopped by phone 2\. .*reset/],
    [{ emergency: "phone 2 stopped everything." }, "stopped", /^Emergency stop: phone 2 stopped everything\. .*reset/],
    [{ stopped: true }, "stopped", /^The arm is stopped: the robot's computer does not answer in time\. It stands until that does\.$/],
    [{ stopped: true, deaf: 1500 }, "held", /Nothing was heard of the arm for 1\.5 s/], // it may have gone on since
    [{ seat: "holding" }, "held", /^The arm holds; it is still yours\.$/],
    [{ seat: "holding", atRest: false }, "held", /^The arm is still yours\.$/],
    [{ stop: "sent" }, "held", /not confirmed yet/],
    [{ begin: "hold the clutch and move the phone" }, "idle", /^Ready\. Hold the clutch and move the phone\.$/],
    [{ begin: "hold the clutch and move the phone", clutch: "engaged", followed: true }, "engaged", /follows you/],
    [{ hasMaster: false, begin: "" }, "idle", /^You have the left arm\. Tap how/],
    [{ hangs: 3.2, stopped: true }, "stopped", /has not answered for 3 s: nothing moves/],
    [{ hangs: Infinity, seat: "watching" }, "stopped", /has not answered: nothing moves/],
    [{ stop: "unconfirmed" }, "lost", /^NOT confirmed: use the robot's own button\.$/],
    [{ stop: "unconfirmed", link: { kind: "lost", words: "silence", retryAt: 0 } }, "lost", /^NOT confirmed/],
    [{ stop: "confirmed", emergency: "phone 1 stopped everything" }, "stopped", /^Emergency stop: phone 1/],
    [{ fault: true }, "stopped", /recover/],
    [{ link: { kind: "lost", words: "nothing was heard for two seconds", retryAt: 0 } }, "lost", /Whether the arm moves is not known/],
    [{ link: { kind: "refused", words: "this code is too old", wayIn: "code" } }, "lost", /too old/],
    [{ deaf: 1500 }, "held", /1\.5 s/],
    [{ deaf: 1500, silence: 1400 }, "held", /^Nothing was heard over the link for 1\.4 s/],
    [{ tooSlow: "the link is too slow" }, "held", /^The link is too slow\. Come nearer/],
    [{ tooSlow: "the link is too slow", clutch: "broken", reason: "the link is too slow" }, "held", /^The link is too slow\./],
    [{ tooSlow: "the link is too slow", seat: "watching", holder: "" }, "idle", /Nobody drives/],
    [{ trouble: "the phone does not know where it is" }, "held", /The phone does not know/],
  ];
  for (const [facts, tone, words] of cases) {
    const how = shown({ ...READY, ...facts });
    assert.equal(how.tone, tone, JSON.stringify(facts));
    assert.match(how.words, words);
  }
});

test("the seat's words are shown while they are news", () => {
  const said = new SeatWords();
  said.take("the arm stopped by its reflex", 0);
  assert.equal(said.look("the arm stopped by its reflex", true, 10), "the arm stopped by its reflex");
  assert.equal(said.look("the arm stopped by its reflex", false, 20), ""); // it was recovered
  said.take("desk 1 does not drive any more: emergency stop", 30);
  assert.notEqual(said.look("desk 1 does not drive any more: emergency stop", true, 40), "");
  assert.equal(said.look("desk 1 does not drive any more: emergency stop", false, 50), ""); // it was taken back
  said.take("phone 1 drives the arm", 100);
  said.take("phone 1 drives the arm", 20_000); // a new link tells it anew
  assert.equal(said.look("phone 1 drives the arm", false, 30_000), "phone 1 drives the arm");
  assert.equal(said.look("phone 1 drives the arm", false, 30_100), "");
});

test("what the button says that brings the link back", () => {
  assert.equal(againWords({ kind: "refused", words: "somebody else is here", wayIn: "here" }), "Drive here instead");
  assert.equal(againWords({ kind: "refused", words: "this session was opened in another window", wayIn: "again" }), "Try now");
  assert.equal(againWords({ kind: "lost", words: "nothing was heard", retryAt: 0 }), "Try now");
});

test("who is refused needs a code if that is said, whatever the words are", () => {
  assert.equal(needsCode({ kind: "refused", words: "you are not in", wayIn: "code" }), true);
  for (const wayIn of ["again", "here"] as const) {
    assert.equal(needsCode({ kind: "refused", words: "this code is too old: pair anew", wayIn }), false);
  }
  assert.equal(needsCode({ kind: "lost", words: "the code of the page has changed", retryAt: 0 }), false);
});

test("times of the link, and clocks only where they run apart", () => {
  const health = { type: "health", emergency: "", heard_age_s: 0, quality: "good", pose_age_ms: null, rtt_ms: [12.3, 34], offset_ms: 503.5, words: "", broken: "", breaks: 0 } as const;
  assert.equal(figures(health, 500), "Round trip 12 ms, worst 34 ms. The clocks have run 3.5 ms apart since it connected.");
  for (const offset of [500, 499.96, 500.04, 500.9]) assert.equal(figures({ ...health, offset_ms: offset }, 500), "Round trip 12 ms, worst 34 ms.");
  assert.equal(figures({ ...health, rtt_ms: null, offset_ms: null }, 0), "Round trip not known yet.");
});

test("what comes next, and that it stays where it is while the link is away", () => {
  const there: Where = { link: { kind: "connected" }, seat: "watching", holder: "", hasMaster: false };
  const cases: readonly (readonly [Partial<Where>, Step])[] = [
    [{}, "take"],
    [{ hasMaster: true }, "take"],
    [{ holder: "phone 2" }, "watch"],
    [{ seat: "ready", holder: "phone 1" }, "choose"],
    [{ seat: "ready", hasMaster: true }, "clutch"],
    [{ seat: "holding", hasMaster: true }, "clutch"],
    [{ link: { kind: "lost", words: "", retryAt: 0 } }, "clutch"],
    [{ link: { kind: "connecting", words: "" }, holder: "" }, "clutch"],
  ];
  for (const [where, step] of cases) assert.equal(nextStep({ ...there, ...where }, "clutch"), step, JSON.stringify(where));
  assert.equal(nextStep({ ...there, link: { kind: "connecting", words: "" } }, "none"), "none");
});

test("a stop is taken back by who is let in, and not before the own one has arrived", () => {
  assert.ok(mayReset({ kind: "connected" }, "phone 2 stopped everything", false));
  assert.ok(!mayReset({ kind: "connected" }, "phone 2 stopped everything", true));
  assert.ok(!mayReset({ kind: "connected" }, "", false));
  assert.ok(!mayReset({ kind: "refused", words: "", wayIn: "code" }, "phone 2 stopped everything", false));
  assert.ok(!mayReset({ kind: "lost", words: "", retryAt: 0 }, "phone 2 stopped everything", false));
});

test("scales in words, and one after another", () => {
  const said: readonly (readonly [string, number | null])[] = [
    ["fine", 0.2], ["One to one.", 1], ["scale 0.3", 0.3], ["scale to 50 percent", 0.5], ["half scale", 0.5], ["double", 2], ["scale 9", 2],
    ["scale one to four", 0.25], ["Set the scale to 1:5, please.", 0.2], ["one to ten", 0.1], ["two to one", 2], ["a quarter scale", 0.25],
    ["one to fifty", 0.05], ["scale 1 to 50", 0.05], ["1 : 1", 1], ["very fine work", 0.1], ["full scale", 1], ["scale 75 percent", 0.75],
    ["let me drive", null], ["scale the wall", null], ["fine, carry on", null], ["75 percent", null], ["two to three", null],
    ["scale 0", null], ["scale", null], ["move the arm 1 to 2 cm up", null], ["move finer", null], ["one", null], ["2", null],
  ];
  for (const [text, scale] of said) assert.equal(spokenScale(text, 1), scale, text);
  assert.deepEqual(["fine", "Fine.", "finer", "fine work"].map(isAlsoYes), [true, true, false, false]);
  const relative: readonly (readonly [string, number, number])[] = [
    ["finer", 1, 0.5], ["a bit finer", 0.5, 0.2], ["finer please", 0.1, 0.1], ["finer", 0.05, 0.05], ["Finer.", 0.25, 0.2],
    ["coarser", 0.2, 0.5], ["coarser", 2, 2], ["make it coarser", 0.3, 0.5], ["half the scale", 0.5, 0.25], ["double the scale", 0.25, 0.5],
    ["half the scale", 0.05, 0.05], ["twice as fine", 1, 0.5], ["halve it", 1, 0.5],
  ];
  for (const [text, now, scale] of relative) assert.equal(spokenScale(text, now), scale, `${text} at ${now}`);
  assert.deepEqual([1, 2, 0.5, 0.25, 0.1, 0.05, 0.75, 0.3, 1 / 3, 1.5].map(scaleWords),
    ["1 : 1", "2 : 1", "1 : 2", "1 : 4", "1 : 10", "1 : 20", "75 %", "30 %", "1 : 3", "150 %"]);
  assert.deepEqual([nextScale(1), nextScale(0.5), nextScale(0.2), nextScale(0.1), nextScale(2)], [0.5, 0.2, 0.1, 1, 1]);
});

test("what the robot says can be said is followed by what the page takes by itself", () => {
  for (const subject of ["not_understood", "abilities"]) {
    const whole = withOwnWords({ text: "So much for that.", subject });
    assert.ok(whole.startsWith("So much for that."));
    const own = [...whole.matchAll(/[“"](.+?)[”"]/g)].map(([, words]) => words!);
    assert.ok(own.includes("finer") && own.includes("one to four"));
    for (const words of own) assert.notEqual(spokenScale(words, 0.5), null, words);
  }
  assert.equal(withOwnWords({ text: "The arm is at home.", subject: "" }), "The arm is at home.");
});

test("the phone's motor is on for as large a share as it shall be felt", () => {
  assert.deepEqual(pattern(0, 0), []);
  for (const press of [0.3, 0.6, 0.9]) {
    const times = pattern(0, press);
    const [on, off] = [times[0]!, times[1]!];
    assert.equal(on + off, PERIOD_MS);
    assert.ok(Math.abs(on / PERIOD_MS - press) < 0.03);
  }
  assert.ok(pattern(1, 0)[0]! > pattern(0.2, 0)[0]!);
  assert.ok(pattern(0.5, 0.5).length > pattern(0, 0.5).length);
});

test("a picture that is slow to draw becomes coarser, and finer again when there is room", () => {
  const fineness = new Fineness(2);
  for (let index = 0; index < 7; index += 1) assert.equal(fineness.took(80), false);
  assert.equal(fineness.took(80), true);
  assert.ok(Math.abs(fineness.pixelRatio - 1.4) < 1e-9);
  for (let index = 0; index < 100; index += 1) fineness.took(200);
  assert.equal(fineness.pixelRatio, 0.4);
  for (let index = 0; index < 8; index += 1) assert.equal(fineness.took(5000), false); // a page in the background
  for (let index = 0; index < 5000; index += 1) fineness.took(16);
  assert.equal(fineness.pixelRatio, 2);
});

test("the arm stands as its joints say", () => {
  const q = Math.PI / 2;
  const dh: readonly (readonly [number, number, number])[] = [
    [0, 0.333, 0], [0, 0, -q], [0, 0.316, q], [0.0825, 0, q], [-0.0825, 0.384, -q], [0, 0, q], [0.088, 0, q], [0, 0.107, 0],
  ];
  sameVector(linkFrames(dh, [0, 0, 0, 0, 0, 0, 0]).at(-1)!.p, [0.088, 0, 0.333 + 0.316 + 0.384 - 0.107], 1e-9);
  const ready = linkFrames(dh, [0, -q / 2, 0, -1.5 * q, 0, q, q / 2]).at(-1)!.p;
  sameVector(ready, [0.30689, 0, 0.590282], 1e-4);
});

test("what begins with \"carry on\" stands on its button, and who wants it", () => {
  assert.equal(thenWords([], "phone 1"), "");
  assert.equal(thenWords([{ words: "go home", who: "phone 2" }], "phone 1"), ", then “go home”, as phone 2 asked");
  assert.equal(thenWords([{ words: "go home", who: "phone 1" }], "phone 1"), ", then “go home”");
  const many = ["go home", "open the gripper", "look around"].map((words) => ({ words, who: "" }));
  assert.equal(thenWords(many, "phone 1"), ", then “go home” and “open the gripper” and 1 more");
});
