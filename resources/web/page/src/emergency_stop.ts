// The shell around `StopSender`: its clock, its ways, and the question before a page with an unconfirmed stop is closed.

import { StopSender, type StopEvent, type StopState } from "./stop_sender";

const TICK_MS = 50;
/** A request that was not answered for so long is given up; the next ones are under way by then [ms]. */
const ANSWERED_WITHIN_MS = 2000;

export interface Confirmation {
  readonly id: string;
  readonly latched: boolean;
}

export interface StopWays {
  /** Send it over whatever is open; what is not is left out. */
  say(id: string): void;
  /** Send it as a request; null: not confirmed by that. */
  post(id: string): Promise<Confirmation | null>;
  show(state: StopState): void;
}

export class EmergencyStop {
  private readonly sender = new StopSender(randomKey());
  private timer: number | undefined;

  constructor(private readonly ways: StopWays) {
    addEventListener("beforeunload", (event) => {
      if (this.sender.isPending) event.preventDefault();
    });
  }

  get state(): StopState {
    return this.sender.state;
  }

  /** Whether a press is not confirmed yet. */
  get isPending(): boolean {
    return this.sender.isPending;
  }

  press(): void {
    this.take({ kind: "pressed", now: performance.now() });
  }

  confirm({ id, latched }: Confirmation): void {
    this.take({ kind: "confirmed", id, latched });
  }

  private take(event: StopEvent): void {
    for (const effect of this.sender.take(event)) {
      if (effect.kind === "show") this.ways.show(effect.state);
      else if (effect.kind === "say") this.ways.say(effect.id);
      else void this.ways.post(effect.id).then((answer) => answer !== null && this.confirm(answer));
    }
    if (!this.sender.isPending) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else {
      this.timer ??= window.setInterval(() => this.take({ kind: "tick", now: performance.now() }), TICK_MS);
    }
  }
}

/** A stop as a request of its own; null: it was not confirmed by that, whatever the reason. */
export async function postStop(path: string, body: object, bearer: Readonly<Record<string, string>>, withinMs = ANSWERED_WITHIN_MS): Promise<Confirmation | null> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), withinMs);
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...bearer },
      body: JSON.stringify(body),
      cache: "no-store",
      keepalive: true,
      signal: late.signal,
    });
    const said = (await answer.json()) as { readonly type?: string } & Confirmation;
    return answer.ok && said.type === "stop_confirmed" ? said : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
