// Masters with devices made of paper: what is pressed, turned and pinched becomes readings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BareHands } from "../../src/operator/masters/bare_hands";
import { Controllers } from "../../src/operator/masters/controllers";
import { GamePad } from "../../src/operator/masters/game_pad";
import { Headset } from "../../src/operator/masters/headset";
import type { HandReading, Moment } from "../../src/operator/masters/master";
import { PhoneAr } from "../../src/operator/masters/phone_ar";
import { deadZone } from "../../src/operator/masters/rate";
import { SpaceMouse } from "../../src/operator/masters/space_mouse";
import { IDENTITY, type Vector } from "../../src/operator/view/pose";

interface Pulse { readonly intensity: number; readonly ms: number }

function posed(p: Vector, emulatedPosition = false): XRPose {
  const [x, y, z] = p;
  return { transform: { position: { x, y, z }, orientation: { x: 0, y: 0, z: 0, w: 1 } }, emulatedPosition } as unknown as XRPose;
}

/** A controller: buttons by index, axes of its stick; where it is comes with its grip space. */
class PaperController {
  readonly buttons = Array.from({ length: 6 }, () => ({ value: 0 }));
  readonly axes = [0, 0, 0, 0];
  readonly pulses: Pulse[] = [];
  readonly gripSpace: XRSpace;
  readonly gamepad: object;

  constructor(readonly handedness: "left" | "right", place: { pose: XRPose | undefined }) {
    this.gripSpace = place as unknown as XRSpace;
    const actuator = { pulse: async (intensity: number, ms: number) => this.pulses.push({ intensity, ms }) > 0 };
    this.gamepad = { buttons: this.buttons, axes: this.axes, hapticActuators: [actuator] };
  }
}

function moment(now: number, inputSources: readonly object[] = [], viewer: XRPose | null = null): Moment {
  const frame = {
    session: { inputSources },
    getPose: (space: { pose: XRPose | undefined }) => space.pose,
    getJointPose: (space: { pose: XRPose | undefined }) => space.pose,
    getViewerPose: () => viewer,
  };
  return { now, W_T_eye: IDENTITY, xr: { frame: frame as unknown as XRFrame, space: {} as XRReferenceSpace }, page: { clutch: false, grips: 0 } };
}

const of = (readings: readonly HandReading[], side: "left" | "right"): HandReading => readings.find((each) => each.side === side)!;

test("squeeze is the clutch, trigger the gripper, and each hand has its own", () => {
  const [left, right] = (["left", "right"] as const).map((side) => new PaperController(side, { pose: posed([0, 1, 0]) })) as [PaperController, PaperController];
  const master = new Controllers();
  right.buttons[1]!.value = 1;
  left.buttons[0]!.value = 1;
  for (const now of [0, 16]) master.sample(moment(now, [left, right]));
  const readings = master.sample(moment(32, [left, right]));
  assert.deepEqual([of(readings, "right").clutch, of(readings, "left").clutch], [true, false]);
  assert.deepEqual([of(readings, "right").grips, of(readings, "left").grips], [0, 1]);
  assert.deepEqual(of(readings, "right").W_T_hand?.p, [0, 1, 0]);
});

test("a guessed position is no pose", () => {
  const right = new PaperController("right", { pose: posed([0, 1, 0], true) });
  const gone = new PaperController("left", { pose: undefined });
  const readings = new Controllers().sample(moment(0, [right, gone]));
  assert.equal(of(readings, "right").tracked, false);
  assert.deepEqual([of(readings, "left").tracked, of(readings, "left").W_T_hand], [false, null]);
});

test("thumb-sticks drive the base: one goes ahead and turns, two also sideways", () => {
  const right = new PaperController("right", { pose: posed([0, 0, 0]) });
  right.axes[3] = -1;
  right.axes[2] = 1;
  assert.deepEqual(of(new Controllers().sample(moment(0, [right])), "right").stick, [1, 0, -1]);
  const left = new PaperController("left", { pose: posed([0, 0, 0]) });
  left.axes[2] = -1;
  assert.deepEqual(of(new Controllers().sample(moment(0, [left, right])), "right").stick, [1, 1, -1]);
});

test("the upper button, held for a second, is the emergency stop, once", () => {
  const right = new PaperController("right", { pose: posed([0, 0, 0]) });
  const master = new Controllers();
  right.buttons[5]!.value = 1;
  const stops: number[] = [];
  for (let now = 0; now <= 3000; now += 100) {
    master.sample(moment(now, [right]));
    if (master.wishes(moment(now, [right])).stop) stops.push(now);
  }
  assert.deepEqual(stops, [1000]);
});

test("the lower button holds the scene by this controller", () => {
  const right = new PaperController("right", { pose: posed([1, 2, 3]) });
  const master = new Controllers();
  master.sample(moment(0, [right]));
  assert.equal(master.wishes(moment(0, [right])).holdView, null);
  right.buttons[4]!.value = 1;
  assert.deepEqual(master.wishes(moment(16, [right])).holdView?.p, [1, 2, 3]);
});

test("contacts pulse in the controllers", () => {
  const right = new PaperController("right", { pose: posed([0, 0, 0]) });
  const master = new Controllers();
  master.sample(moment(0, [right]));
  assert.equal(master.feel({ knock: 0.8, press: 0 }, 0), true);
  master.feel({ knock: 0, press: 0.4 }, 10); // sooner than a pulse lasts
  master.feel({ knock: 0, press: 0.4 }, 40);
  master.feel({ knock: 0, press: 0 }, 80);
  assert.deepEqual(right.pulses.map((pulse) => pulse.intensity), [0.8, 0.4]);
  assert.ok(right.pulses[0]!.ms > right.pulses[1]!.ms);
});

/** A hand whose finger tips are so far from the thumb's [m]. */
function hand(apart: Partial<Record<"index" | "middle" | "ring" | "pinky", number>>): object {
  const at = (name: string): { pose: XRPose } => {
    const finger = name.replace("-finger-tip", "") as keyof typeof apart;
    return { pose: posed(name === "wrist" ? [0, 1, 0] : name === "thumb-tip" ? [0, 0, 0] : [apart[finger] ?? 0.1, 0, 0]) };
  };
  return { handedness: "right", hand: { get: at } };
}

test("thumb and index finger are the clutch, with slack; other fingers do the rest", () => {
  const master = new BareHands();
  const clutch = (apart: number): boolean => of(master.sample(moment(0, [hand({ index: apart })])), "right").clutch;
  assert.deepEqual([0.05, 0.01, 0.025, 0.04, 0.025].map(clutch), [false, true, true, false, false]);
  master.sample(moment(0, [hand({ middle: 0.01 })]));
  assert.equal(of(master.sample(moment(0, [hand({ middle: 0.01 })])), "right").grips, 1);
  master.sample(moment(0, [hand({ ring: 0.01, pinky: 0.01 })]));
  assert.deepEqual([master.wishes().nextScale, master.wishes().nextScale], [true, false]);
  assert.deepEqual(master.wishes().holdView?.p, [0, 1, 0]);
});

test("who puts the controllers away drives by bare hands", () => {
  const master = new Headset();
  master.sample(moment(0, [new PaperController("right", { pose: posed([0, 0, 0]) })]));
  assert.equal(master.name, "headset");
  master.sample(moment(16, [hand({})]));
  assert.equal(master.name, "bare hand");
});

test("a phone that has lost itself says so", () => {
  const phone = new PhoneAr();
  assert.equal(phone.sample(moment(0, [], posed([0, 0, 0])))[0]!.tracked, true);
  assert.equal(phone.health(), "");
  assert.equal(phone.sample(moment(0, [], posed([0, 0, 0], true)))[0]!.tracked, false);
  assert.match(phone.health(), /does not know where it is/);
  assert.equal(phone.sample(moment(0, [], null))[0]!.W_T_hand, null);
});

test("a game-pad's sticks say how fast, its shoulder is the clutch", () => {
  const pad = { connected: true, mapping: "standard", axes: [1, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ value: 0, pressed: false })) };
  Object.defineProperty(globalThis, "navigator", { value: { getGamepads: () => [null, pad] }, configurable: true });
  const master = new GamePad();
  pad.buttons[5]!.value = 1;
  let reading: HandReading | null = null;
  for (let now = 0; now <= 500; now += 16) reading = master.sample({ ...moment(now), xr: null })[0]!;
  assert.equal(reading!.clutch, true);
  const [x, y, z] = reading!.W_T_hand!.p;
  assert.ok(x > 0.02 && Math.abs(y) < 1e-9 && Math.abs(z) < 1e-9, "to the right of the picture");
  pad.buttons[6]!.value = 1;
  pad.axes[1] = -1;
  reading = master.sample({ ...moment(520), xr: null })[0]!;
  assert.deepEqual(reading.stick.map((value) => value + 0), [1, -1, 0]); // no -0
  pad.connected = false;
  assert.match(master.health(), /connect it/);
});

test("a space mouse's reports are read in the axes of the picture", () => {
  const device = Object.assign(new EventTarget(), { opened: true, productName: "SpaceNavigator", open: async () => {}, close: async () => {} });
  const master = new SpaceMouse(device);
  const report = (reportId: number, ...values: readonly number[]): void => {
    const data = new DataView(new ArrayBuffer(reportId === 3 ? 1 : 2 * values.length));
    values.forEach((value, index) => (reportId === 3 ? data.setUint8(index, value) : data.setInt16(2 * index, value, true)));
    device.dispatchEvent(Object.assign(new Event("inputreport"), { reportId, data }));
  };
  let reading: HandReading | null = null;
  for (let now = 0; now <= 400; now += 16) {
    report(1, 0, -350, 0); // pushed away from the person
    report(3, 1);
    reading = master.sample({ ...moment(now), xr: null })[0]!;
  }
  const [x, y, z] = reading!.W_T_hand!.p;
  assert.ok(z < -0.02 && Math.abs(x) < 1e-9 && Math.abs(y) < 1e-9, "ahead");
  assert.equal(reading!.clutch, true);
  assert.equal(master.words.includes("SpaceNavigator"), true);
});

test("a stick's middle is nothing, its end is all", () => {
  assert.deepEqual([deadZone(0.1, 0.15), deadZone(1, 0.15), deadZone(-1, 0.15), deadZone(1.2, 0.15)], [0, 1, -1, 1]);
});
