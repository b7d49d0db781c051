// Numbers that look random and are the same in each run.

import { unit, type Pose, type Quaternion, type Vector } from "../../src/operator/view/pose";

export class Chance {
  constructor(private seed: number) {}

  /** 0 to 1 (mulberry32). */
  share(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.share();
  }

  vector(most: number): Vector {
    return [this.between(-most, most), this.between(-most, most), this.between(-most, most)];
  }

  turn(): Quaternion {
    for (;;) {
      const q: Quaternion = [this.between(-1, 1), this.between(-1, 1), this.between(-1, 1), this.between(-1, 1)];
      const size = Math.hypot(...q);
      if (size > 0.1 && size < 1) return unit(q);
    }
  }

  pose(most = 2): Pose {
    return { p: this.vector(most), q: this.turn() };
  }

  chance(share: number): boolean {
    return this.share() < share;
  }
}
