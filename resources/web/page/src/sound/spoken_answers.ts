// Which answers this page says aloud, and when: one after the other, the newest count, no question is left out. Pure.
//
// The words come from the server (`spoken` of a line): what would stop the robot is in none of them.

/** Makes the sound: the browser, or a test. */
export interface Synthesizer {
  /** Why it cannot speak here, in words; "" if it can. May take a moment. */
  trouble(): Promise<string>;
  /** Say this. over: once, when it was said or broken off; with why it could not be said, else "". */
  say(words: string, over: (trouble: string) => void): void;
  /** Be silent at once. */
  hush(): void;
}

export interface Spoken {
  readonly number: number;
  readonly kind: string;
  readonly spoken: string;
}

/** So many answers wait for their turn. */
export const MOST_WAITING = 2;
/** What cuts what is being said. */
const URGENT: ReadonlySet<string> = new Set(["cancelled", "emergency"]);

export class SpokenAnswers {
  private on = false;
  private held = false;
  private newest = -1;
  private waiting: readonly Spoken[] = [];
  private speaking: object | null = null;

  /** note: something that did not work, in words. */
  constructor(
    private readonly voice: Synthesizer,
    private readonly note: (words: string) => void,
  ) {}

  get isOn(): boolean {
    return this.on;
  }

  /** From now on answers are said, unless it cannot be: whether they are. */
  async turnOn(): Promise<boolean> {
    const trouble = await this.voice.trouble();
    this.on = trouble === "";
    if (!this.on) this.note(`Answers cannot be said aloud: ${trouble}.`);
    return this.on;
  }

  turnOff(): void {
    this.on = false;
    this.hush();
  }

  /** Another run began: its lines are counted anew. */
  begin(): void {
    this.newest = -1;
    this.hush();
  }

  /** Lines as they come, oldest first; a line that came before counts once. own: which of them are for this page. */
  take<L extends Spoken>(lines: readonly L[], own: (line: L) => boolean): void {
    for (const line of lines) {
      if (line.number <= this.newest) continue;
      this.newest = line.number;
      if (!this.on || line.spoken === "" || !own(line)) continue;
      if (URGENT.has(line.kind)) this.hush();
      this.waiting = bounded([...this.waiting, line]);
    }
    this.next();
  }

  /** Hold-to-talk is pressed, or let go: nothing is said while somebody speaks. */
  hold(isHeld: boolean): void {
    if (isHeld === this.held) return;
    this.held = isHeld;
    if (isHeld) this.silence();
    else this.next();
  }

  /** Be silent at once; what waits is not said any more. */
  hush(): void {
    this.waiting = [];
    this.silence();
  }

  private silence(): void {
    this.speaking = null; // whatever its end says is of no interest
    this.voice.hush();
  }

  private next(): void {
    const line = this.waiting[0];
    if (line === undefined || this.speaking !== null || this.held || !this.on) return;
    this.waiting = this.waiting.slice(1);
    const speaking = (this.speaking = {});
    this.voice.say(line.spoken, (trouble) => {
      if (this.speaking !== speaking) return;
      this.speaking = null;
      if (trouble !== "") this.note(`This was not said aloud: ${trouble}.`);
      this.next();
    });
  }
}

/** Of many answers the newest; every question. */
function bounded(lines: readonly Spoken[]): readonly Spoken[] {
  const answers = lines.filter(({ kind }) => kind !== "asked");
  const left = new Set(answers.slice(0, Math.max(0, answers.length - MOST_WAITING)));
  return lines.filter((line) => !left.has(line));
}
