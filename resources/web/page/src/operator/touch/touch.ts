// What is felt in the hand, seen and heard at a contact: a knock for each new one, a pattern while the arm presses.
// The master's own actuators first, then the phone's vibration; what is seen (the screen's edge) comes always.

import type { Master } from "../masters/master";
import type { ArmState } from "../link/packets";
import { Sounds } from "./sounds";
import { Vibration } from "./vibration";

/** A state older than this presses no more [ms]. */
const OLD_MS = 300;

export class Touch {
  readonly sounds = new Sounds();
  readonly vibration = new Vibration();
  private knocks: number | null = null;
  private knock = 0;
  private press = 0;
  private heardAt = -Infinity;
  private flashUntil = 0;
  private flash = 0;

  /** `edge`: lies over the picture's edge. */
  constructor(private readonly edge: HTMLElement) {}

  /** What the driven arm says. */
  hear(state: ArmState, now: number): void {
    this.heardAt = now;
    if (this.knocks !== null && state.knocks > this.knocks) this.knock = Math.max(this.knock, state.knock);
    this.knocks = state.knocks;
    this.press = state.press;
  }

  /** Another arm is driven, or none: its contacts are not this one's. */
  forget(): void {
    this.knocks = null;
    this.knock = this.press = 0;
  }

  /** Before each picture. */
  update(master: Master | null, now: number): void {
    const press = now - this.heardAt > OLD_MS ? 0 : this.press;
    const knock = this.knock;
    this.knock = 0;
    const felt = master?.feel({ knock, press }, now) ?? false;
    if (!felt) this.vibration.play(knock, press, now);
    this.sounds.play(knock, press, !felt && !this.vibration.works);
    if (knock > 0) {
      this.flash = knock;
      this.flashUntil = now + 250;
    }
    const strength = Math.max(now < this.flashUntil ? this.flash : 0, press);
    this.edge.style.opacity = strength.toFixed(2);
    this.edge.classList.toggle("knock", now < this.flashUntil);
  }
}
