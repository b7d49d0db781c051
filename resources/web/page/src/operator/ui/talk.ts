// Which of all that is said stands over the picture: one's own words once, what was answered, what happens besides. Pure.
//
// An answer stays until another one comes; what merely happens takes its place on the smallest screens only after a while.

/** What merely happens pushes no answer away within so long of it [ms]. */
export const KEPT_MS = 4000;
/** An answer older than this is history: the log has it [ms]. */
export const OLD_MS = 60_000;
/** What merely happened is so sooner: what stays over the picture is taken for what is [ms]. */
export const PAST_MS = 15_000;
/** The same answer may come as a line of the log and to what was said [ms]. */
const TWICE_MS = 5000;

const ANSWERS: ReadonlySet<string> = new Set(["refused", "failed", "asked", "answered", "error", "emergency", "reset"]);
/** Other people's affairs: in the log only. */
export const OTHERS = "others";

export interface Note {
  readonly kind: string;
  readonly text: string;
}

/** What the robot says. number: the same event has the same one, 0 is none; readBack: the words it understood, "" if it says something else. */
export interface Told extends Note {
  readonly number: number;
  readonly readBack: string;
}

interface Said extends Told {
  readonly at: number;
}

export class Talk {
  private own: Said | null = null;
  private ownWords = "";
  private answer: Said | null = null;
  private passing: Said | null = null;
  private done: Said | null = null;
  private last: readonly Said[] = [];

  /** This page's own words were sent. */
  say(text: string, now: number): Note {
    this.ownWords = text;
    this.own = { kind: "own", text: `You: ${text}`, number: 0, readBack: "", at: now };
    return this.own;
  }

  /** What came of own words; null if that is known already. */
  settle(isOk: boolean, { text, number }: { text: string; number: number }, now: number): Note | null {
    if (this.isOwn(text) || this.last.some((each) => isSame(each, { text, number }) && now - each.at < TWICE_MS)) return null;
    this.done = { kind: isOk ? "answered" : "refused", text, number, readBack: "", at: now };
    return this.take(this.done);
  }

  /** Something that happened. Returns it for the log; null if that has it. */
  hear(told: Told, now: number): Note | null {
    if (told.text === "" || (told.kind === "heard" && this.isOwn(told.text))) return null;
    if (this.done !== null && isSame(this.done, told) && now - this.done.at < TWICE_MS) {
      this.done = null;
      return null;
    }
    return this.take({ ...told, at: now });
  }

  /** Over the picture, in the order in which it was said; the first of the pair is what the smallest screens show whole. */
  shown(now: number): readonly [Note | null, readonly Note[]] {
    const within = (said: Said | null, ms: number): Said | null => (said !== null && now - said.at < ms ? said : null);
    const [own, answer, passing] = [within(this.own, PAST_MS), within(this.answer, OLD_MS), within(this.passing, PAST_MS)];
    const all = [own, answer, passing].filter((each) => each !== null).sort((one, other) => one.at - other.at);
    const newest = all.at(-1) ?? null;
    const isKept = answer !== null && (newest !== passing || now - answer.at < KEPT_MS);
    return [isKept ? answer : newest, all];
  }

  private take(said: Said): Note {
    this.last = [...this.last.slice(-7), said];
    if (said.kind === "heard" || said.kind === OTHERS || this.repeatsOwn(said)) return said;
    // "That is being done already" is all that is answered to such words.
    if (ANSWERS.has(said.kind) || (said.kind === "understood" && said.readBack === "")) this.answer = said;
    else this.passing = said;
    return said;
  }

  private repeatsOwn({ readBack }: Told): boolean {
    return readBack !== "" && this.isOwn(readBack);
  }

  private isOwn(text: string): boolean {
    return this.own !== null && plain(text) === plain(this.ownWords);
  }
}

/** Whether two are the same event; what has no number is the same if it says the same. */
function isSame(one: { text: string; number: number }, other: { text: string; number: number }): boolean {
  return one.number !== 0 && other.number !== 0 ? one.number === other.number : one.text === other.text;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").replace(/[.!?]+$/, "").trim();
}
