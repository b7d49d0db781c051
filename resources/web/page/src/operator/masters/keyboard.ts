// Keys at a desk. Space, or the page's button, is the clutch; the keys say how fast, along what is seen.

import { NO_WISHES, type HandReading, type Master, type Moment, type Wishes } from "./master";
import { Presses } from "./presses";
import { RatePose } from "./rate";
import type { Vector } from "../view/pose";

const CLUTCH = "Space";
const GRIPPER = "KeyG";
/** Key → axis in the seen frame: x right, y up, z back. */
const LINEAR: Readonly<Record<string, Vector>> = {
  KeyD: [1, 0, 0], KeyA: [-1, 0, 0], KeyE: [0, 1, 0], KeyQ: [0, -1, 0], KeyS: [0, 0, 1], KeyW: [0, 0, -1],
};
const ANGULAR: Readonly<Record<string, Vector>> = {
  KeyI: [-1, 0, 0], KeyK: [1, 0, 0], KeyJ: [0, 1, 0], KeyL: [0, -1, 0], KeyU: [0, 0, 1], KeyO: [0, 0, -1],
};
/** Forward, left, turn left. */
const BASE: Readonly<Record<string, Vector>> = {
  ArrowUp: [1, 0, 0], ArrowDown: [-1, 0, 0], ArrowLeft: [0, 0, 1], ArrowRight: [0, 0, -1], Comma: [0, 1, 0], Period: [0, -1, 0],
};
const FINE = "ShiftLeft";

export const KEY_HELP =
  "Space: clutch · W A S D: ahead, left, back, right · E Q: up, down · I K J L U O: turn · Shift: slowly · G: gripper · arrows, comma and full stop: base, after Space and not before";

export class Keyboard implements Master {
  readonly name = "keyboard";
  readonly words = "keys, at set speeds";
  readonly begin = "hold Space and press W, A, S or D";
  readonly carriesView = false;
  readonly forBase = "arrows, comma and full stop are for a base; W A S D, E Q move an arm, I K J L U O turn it";
  private readonly down = new Set<string>();
  private readonly pose = new RatePose();
  private readonly grips = new Presses();
  private readonly end = new AbortController();

  constructor() {
    const { signal } = this.end;
    addEventListener("keydown", (event) => this.press(event), { signal });
    addEventListener("keyup", (event) => {
      // A button in focus would take the clutch's end for its click.
      if (this.down.delete(event.code)) event.preventDefault();
    }, { signal });
    // Keys let go elsewhere are never told.
    addEventListener("blur", () => this.down.clear(), { signal });
    document.addEventListener("focusin", (event) => {
      if (takesKeys(event.target)) this.down.clear();
    }, { signal });
  }

  sample({ now, W_T_eye, page }: Moment): readonly HandReading[] {
    const share = this.down.has(FINE) ? 0.25 : 1;
    const rate = { linear: this.sum(LINEAR, share), angular: this.sum(ANGULAR, share) };
    this.grips.update(this.down.has(GRIPPER));
    return [{
      side: "right", W_T_hand: this.pose.move(rate, W_T_eye, now), taken: now, tracked: true,
      clutch: page.clutch || this.down.has(CLUTCH), grips: page.grips + this.grips.count, stick: this.sum(BASE, share),
    }];
  }

  wishes(): Wishes {
    return NO_WISHES;
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    return document.hasFocus() ? "" : "the keys go to another window: click into this one";
  }

  close(): void {
    this.end.abort();
  }

  private press(event: KeyboardEvent): void {
    // While the command key is down, macOS never tells that another one was let go.
    if (event.metaKey) this.down.clear();
    if (takesKeys(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.code in LINEAR || event.code in ANGULAR || event.code in BASE || [CLUTCH, GRIPPER, FINE].includes(event.code))) return;
    event.preventDefault(); // space would press the button in focus, arrows would scroll
    if (!event.repeat) this.down.add(event.code); // what was let go for a reason is not pressed by a thumb that stays
  }

  private sum(axes: Readonly<Record<string, Vector>>, share: number): Vector {
    const sum: [number, number, number] = [0, 0, 0];
    for (const [code, axis] of Object.entries(axes)) if (this.down.has(code)) axis.forEach((value, index) => (sum[index]! += share * value));
    return sum;
  }
}

function takesKeys(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement;
}
