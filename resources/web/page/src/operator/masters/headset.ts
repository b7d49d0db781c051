// A headset: whatever its wearer holds just now, controllers or nothing.

import { BareHands } from "./bare_hands";
import { Controllers } from "./controllers";
import type { Feeling, HandReading, Master, Moment, Wishes } from "./master";

export class Headset implements Master {
  readonly carriesView = false;
  readonly forBase = "the stick is for a base; an arm goes as your hand goes";
  private readonly controllers = new Controllers();
  private readonly bare = new BareHands();
  private present: Master = this.controllers;

  get name(): string {
    return this.present.name;
  }

  get words(): string {
    return this.present.words;
  }

  get begin(): string {
    return this.present.begin;
  }

  sample(moment: Moment): readonly HandReading[] {
    const held = this.controllers.sample(moment);
    const bare = this.bare.sample(moment);
    this.present = held.length === 0 && bare.length > 0 ? this.bare : this.controllers;
    return this.present === this.bare ? bare : held;
  }

  wishes(moment: Moment): Wishes {
    return this.present.wishes(moment);
  }

  feel(feeling: Feeling, now: number): boolean {
    return this.present.feel(feeling, now);
  }

  health(): string {
    return this.present.health();
  }

  close(): void {}
}
