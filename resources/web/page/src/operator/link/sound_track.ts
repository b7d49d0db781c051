// The page's microphone as an audio track of the connection (Opus): attached while the button is held, and only then.
// When a talk begins and ends goes by the reliable channel, with how many packets were sent until then. Those before a
// talk were counted when the one before it had ended: to ask the browser then would take time in which somebody speaks.

import type { TalkBegins, TalkEnds } from "./protocol";

export const NOT_SENT = "the browser does not send its microphone's sound: hold again, or load the page anew";

/** What a track needs of the browser: an RTCRtpSender, or a test. */
export interface Sender {
  replaceTrack(track: MediaStreamTrack | null): Promise<void>;
  getStats(): Promise<{ forEach(each: (report: unknown) => void): void }>;
}

export class SoundTrack {
  /** One thing after the other: a talk that ends while it begins has begun first. */
  private turn: Promise<void> = Promise.resolve();
  private talk: number | null = null;
  /** Packets of the talks that are over; null if the browser does not count them, and while one goes on. */
  private before: number | null = 0;

  /** failed: it cannot be sent, in words. */
  constructor(
    private readonly sender: Sender,
    private readonly say: (message: TalkBegins | TalkEnds) => void,
    private readonly failed: (talk: number, words: string) => void,
  ) {}

  begin(talk: number, microphone: MediaStreamTrack): void {
    this.talk = talk;
    this.next(async () => {
      if (this.talk !== talk) return; // it was broken off before it had begun
      this.say({ type: "talk_begins", talk, sent: this.before });
      this.before = null;
      await this.sender.replaceTrack(microphone);
    });
  }

  /** All is said. blocks: so many full ones the microphone has given. */
  end(talk: number, blocks: number): void {
    this.over(talk, async () => {
      await this.count();
      this.say({ type: "talk_ends", talk, blocks, sent: this.before, is_broken_off: false });
    });
  }

  /** Nothing more of this talk is sent; idempotent. */
  breakOff(talk: number): void {
    this.over(talk, async () => {
      this.say({ type: "talk_ends", talk, blocks: 0, sent: null, is_broken_off: true });
      await this.count();
    });
  }

  private over(talk: number, tell: () => Promise<void>): void {
    if (this.talk !== talk) return;
    this.talk = null;
    this.next(async () => {
      await this.sender.replaceTrack(null);
      await tell();
    });
  }

  private next(step: () => Promise<void>): void {
    const { talk } = this;
    this.turn = this.turn.then(step).catch((error: unknown) => {
      console.error("the microphone's track", error);
      if (talk !== null) this.failed(talk, NOT_SENT);
    });
  }

  /** Ask the browser how many packets it has sent so far. */
  private async count(): Promise<void> {
    if (this.before !== null) return; // it never began
    let packets: number | null = null;
    (await this.sender.getStats()).forEach((report) => {
      const { type, packetsSent } = report as { readonly type?: string; readonly packetsSent?: number };
      if (type === "outbound-rtp" && packetsSent !== undefined) packets = (packets ?? 0) + packetsSent;
    });
    this.before = packets;
  }
}
