// A page's emergency stop, from its press to its confirmation. Pure: events in, effects out. Both pages use it.
//
// Each press has an id and is sent again, by all ways that the page has and without an end, until that very id is
// confirmed. A later press takes the place of one that is not: whoever receives them counts a page's presses, so the
// earlier one cannot come after it (framework/processes/emergency.py).

/** What the page says when a confirmation does not come: in red, and to a screen reader. */
export const NOT_CONFIRMED = "NOT confirmed: use the robot's own button";
export const CONFIRMED = "Confirmed: the emergency stop is set.";
export const RESET_SINCE = "The emergency stop was set, and has been reset since.";

/** Without a confirmation for so long the person is told [ms]. */
export const CONFIRMED_WITHIN_MS = 500;
/** Over what is open already a press is sent so often [ms]. */
export const SAY_EVERY_MS = 250;
/** As a request of its own so often [ms]. */
export const POST_EVERY_MS = 700;

/** sent: not confirmed yet, nor late. reset_since: it was set, and somebody has reset it before this page heard. */
export type StopState = "none" | "sent" | "unconfirmed" | "confirmed" | "reset_since";

export type StopEvent =
  | { readonly kind: "pressed"; readonly now: number }
  | { readonly kind: "tick"; readonly now: number }
  | { readonly kind: "confirmed"; readonly id: string; readonly latched: boolean };

export type StopEffect =
  /** Over what is open already. */
  | { readonly kind: "say"; readonly id: string }
  /** As a request of its own. */
  | { readonly kind: "post"; readonly id: string }
  | { readonly kind: "show"; readonly state: StopState };

interface Press {
  readonly id: string;
  /** When the first press was made that is not confirmed yet [ms]. */
  readonly since: number;
  said: number;
  posted: number;
}

export class StopSender {
  private presses = 0;
  private press: Press | null = null;
  private shown: StopState = "none";

  /** page: 12 hexadecimal digits, drawn at random when the page is loaded. */
  constructor(private readonly page: string) {}

  get state(): StopState {
    return this.shown;
  }

  get isPending(): boolean {
    return this.press !== null;
  }

  take(event: StopEvent): readonly StopEffect[] {
    switch (event.kind) {
      case "pressed":
        this.presses += 1;
        this.press = { id: `${this.page}-${this.presses}`, since: this.press?.since ?? event.now, said: -Infinity, posted: -Infinity };
        return this.go(event.now);
      case "tick":
        return this.go(event.now);
      case "confirmed":
        if (event.id !== this.press?.id) return []; // of an earlier press, or a second way's
        this.press = null;
        return this.show(event.latched ? "confirmed" : "reset_since");
    }
  }

  private go(now: number): readonly StopEffect[] {
    const { press } = this;
    if (press === null) return [];
    const effects: StopEffect[] = [];
    if (now - press.said >= SAY_EVERY_MS) {
      press.said = now;
      effects.push({ kind: "say", id: press.id });
    }
    if (now - press.posted >= POST_EVERY_MS) {
      press.posted = now;
      effects.push({ kind: "post", id: press.id });
    }
    return [...effects, ...this.show(now - press.since < CONFIRMED_WITHIN_MS ? "sent" : "unconfirmed")];
  }

  private show(state: StopState): readonly StopEffect[] {
    if (state === this.shown) return [];
    this.shown = state;
    return [{ kind: "show", state }];
  }
}
