// A space mouse over WebHID: its cap says how fast, in all six directions at once. Its first button is the clutch, the
// second the gripper; the page's buttons do as well.

import { NO_WISHES, type HandReading, type Master, type Moment, type Wishes } from "./master";
import { Presses } from "./presses";
import { deadZone, RatePose } from "./rate";
import type { Vector } from "../view/pose";

const VENDORS = [{ vendorId: 0x256f }, { vendorId: 0x046d, usagePage: 1, usage: 8 }];
const FULL = 350;
const DEAD = 0.06;
/** It speaks while it is pushed, and once more at rest. A silence while pushed is an unplugged cable [ms]. */
const SILENCE_MS = 300;

/** The part of WebHID that is used; TypeScript's own library does not know it. */
interface HidDevice extends EventTarget {
  readonly opened: boolean;
  readonly productName: string;
  open(): Promise<void>;
  close(): Promise<void>;
}
interface HidReport extends Event {
  readonly reportId: number;
  readonly data: DataView;
}
interface Hid {
  requestDevice(options: { filters: readonly object[] }): Promise<readonly HidDevice[]>;
}

export function hid(): Hid | null {
  return (navigator as { hid?: Hid }).hid ?? null;
}

/** Asks the person which one; null if none was chosen. Needs a click. Throws an Error with words if it cannot be opened. */
export async function chooseSpaceMouse(): Promise<SpaceMouse | null> {
  const [device] = (await hid()?.requestDevice({ filters: VENDORS })) ?? [];
  if (device === undefined) return null;
  if (!device.opened) await device.open();
  return new SpaceMouse(device);
}

export class SpaceMouse implements Master {
  readonly name = "space mouse";
  readonly begin = "hold the clutch and push the cap";
  readonly carriesView = false;
  readonly words: string;
  private linear: Vector = [0, 0, 0];
  private angular: Vector = [0, 0, 0];
  private buttons = 0;
  private heard = 0;
  private readonly pose = new RatePose();
  private readonly grips = new Presses();
  private readonly end = new AbortController();

  constructor(private readonly device: HidDevice) {
    this.words = `${device.productName || "a space mouse"}, at speeds that its cap says`;
    device.addEventListener("inputreport", (event) => this.read(event as HidReport), { signal: this.end.signal });
  }

  sample({ now, W_T_eye, page }: Moment): readonly HandReading[] {
    if (performance.now() - this.heard > SILENCE_MS) this.linear = this.angular = [0, 0, 0];
    this.grips.update((this.buttons & 2) !== 0);
    return [{
      side: "right", W_T_hand: this.pose.move({ linear: this.linear, angular: this.angular }, W_T_eye, now), taken: now,
      tracked: this.device.opened, clutch: page.clutch || (this.buttons & 1) !== 0, grips: page.grips + this.grips.count,
      stick: [0, 0, 0],
    }];
  }

  wishes(): Wishes {
    return NO_WISHES;
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    return this.device.opened ? "" : "the space mouse was unplugged";
  }

  close(): void {
    this.end.abort();
    void this.device.close().catch(() => undefined);
  }

  private read({ reportId, data }: HidReport): void {
    this.heard = performance.now();
    const three = (at: number): Vector | null => (data.byteLength < at + 6 ? null : seen(data, at));
    // Report 1: translation, and rotation behind it in newer ones; 2: rotation in older ones; 3: buttons.
    if (reportId === 1) {
      this.linear = three(0) ?? this.linear;
      this.angular = three(6) ?? this.angular;
    } else if (reportId === 2) this.angular = three(0) ?? this.angular;
    else if (reportId === 3 && data.byteLength > 0) this.buttons = data.getUint8(0);
  }
}

/** Its axes (x right, y to the person, z down) in the seen ones (x right, y up, z back). */
function seen(data: DataView, at: number): Vector {
  const axis = (index: number): number => deadZone(data.getInt16(at + 2 * index, true) / FULL, DEAD);
  return [axis(0), -axis(2), axis(1)];
}
