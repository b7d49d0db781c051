// The WebSocket: comes back by itself, hands each message to whom it concerns, and knows which
// question an answer belongs to. Draws nothing.

import { REFUSED_CODE, type BeginTalk, type Completed, type HandsSeen, type PageMessage, type PagePoint, type PlanFile, type PointAt, type Reply, type ServerMessage, type SignIn, type Stop, type WatchHands } from "../protocol";
import { decodeSample, type Sample } from "../samples";
import { pageKey, token } from "./session";

type OfType<T extends ServerMessage["type"]> = Extract<ServerMessage, { type: T }>;
/** What comes back to a message of ours, with its id. */
export type Answer = Reply | Completed | PlanFile;
type News = Exclude<ServerMessage["type"], Answer["type"]>;
export type Handlers = { readonly [T in News]: (message: OfType<T>) => void };

export type LinkState =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  | { readonly kind: "lost"; readonly retryAt: number }
  | { readonly kind: "refused" };

/** A message without its id, which the connection gives it. */
export type Outgoing = WithoutId<PageMessage | BeginTalk | WatchHands>;
type WithoutId<M> = M extends PageMessage | BeginTalk | WatchHands ? Omit<M, "id"> : never;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** Sound that waits so long to be sent comes too late: two seconds of it [bytes]. */
const MOST_SOUND_WAITING = 65_536;
/** A stop is repeated until it is confirmed: where so much waits, enough of them do [bytes]. */
const MOST_STOPS_WAITING = 65_536;
/** Hands are worth nothing later: where so much waits, they are left out [bytes]. */
const MOST_HANDS_WAITING = 16_384;
/** A place is pointed at anew in a moment: where so much waits, it is left out [bytes]. */
const MOST_POINTS_WAITING = 16_384;
const ANSWER_WITHIN_MS = 20_000;
const LOST: Omit<Reply, "id"> = { type: "reply", ok: false, number: 0, subject: "", text: "the connection was lost before an answer came" };

export class Connection {
  private socket: WebSocket | null = null;
  /** The same, once it is known who we are. */
  private signedIn: WebSocket | null = null;
  private waitMs = FIRST_WAIT_MS;
  private retry: number | undefined;
  private nextId = 1;
  private readonly open = new Map<string, (answer: Answer) => void>();

  constructor(
    private readonly handlers: Handlers,
    private readonly onSample: (sample: Sample) => void,
    private readonly onState: (state: LinkState) => void,
  ) {
    addEventListener("online", () => this.connectNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.connectNow();
    });
    addEventListener("hashchange", () => this.connectNow()); // a fresh token was put into the address
  }

  get isConnected(): boolean {
    return this.signedIn?.readyState === WebSocket.OPEN;
  }

  /** Try now, unless it is connected or about to be. */
  connectNow(): void {
    clearTimeout(this.retry);
    if (this.socket === null) this.connect();
  }

  /** Send, and get the answer in words; what cannot be sent is answered at once. */
  async send(message: Outgoing): Promise<Reply> {
    const answer = await this.ask(message);
    return answer.type === "reply" ? answer : { type: "reply", id: answer.id, ok: true, number: 0, subject: "", text: "" };
  }

  /** Send, and get whatever answers it. */
  ask(message: Outgoing): Promise<Answer> {
    const id = String(this.nextId++);
    const socket = this.signedIn;
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      return Promise.resolve({ ...LOST, id, text: "not connected: nothing was sent" });
    }
    return new Promise((resolve) => {
      const late = window.setTimeout(() => {
        this.open.delete(id);
        resolve({ ...LOST, id, text: "no answer came yet; look at the log" });
      }, ANSWER_WITHIN_MS);
      this.open.set(id, (answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      socket.send(JSON.stringify({ ...message, id }));
    });
  }

  /** Send a stop, if there is a connection; `stop_confirmed` answers it. */
  stop(id: string): void {
    const socket = this.socket;
    if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_STOPS_WAITING) socket.send(JSON.stringify({ type: "stop", id } satisfies Stop));
  }

  /** Send a block of sound; false if there is no connection. One that would wait for too long is left out. */
  sound(packet: ArrayBuffer): boolean {
    const socket = this.signedIn;
    if (socket?.readyState !== WebSocket.OPEN) return false;
    if (socket.bufferedAmount < MOST_SOUND_WAITING) socket.send(packet);
    return true;
  }

  /** Send the hands of one picture, unless others still wait; nothing answers them. */
  sendHands(seen: Omit<HandsSeen, "id" | "type">): void {
    const socket = this.signedIn;
    if (socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > MOST_HANDS_WAITING) return;
    socket.send(JSON.stringify({ type: "hands_seen", id: "hands", ...seen } satisfies HandsSeen));
  }

  /** Say where the mouse points, unless too much waits; null: nowhere any more. What that is comes as `pointed_at`. */
  sendPoint(at: PagePoint | null): void {
    const socket = this.signedIn;
    if (socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > MOST_POINTS_WAITING) return;
    socket.send(JSON.stringify({ type: "point_at", id: "point", at } satisfies PointAt));
  }

  private connect(): void {
    const secret = token();
    if (secret === "") {
      this.onState({ kind: "refused" });
      return;
    }
    this.onState({ kind: "connecting" });
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws?page=${pageKey()}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "sign_in", secret } satisfies SignIn));
    socket.onmessage = (event) => {
      if (this.signedIn !== socket) {
        this.signedIn = socket; // nothing is told to anybody else
        this.waitMs = FIRST_WAIT_MS;
        this.onState({ kind: "connected" });
      }
      this.receive(event.data as string | ArrayBuffer);
    };
    socket.onclose = ({ code }) => {
      if (code === REFUSED_CODE) this.refused();
      else this.lost();
    };
  }

  private refused(): void {
    this.socket = this.signedIn = null;
    this.onState({ kind: "refused" });
  }

  private lost(): void {
    this.socket = this.signedIn = null;
    for (const [id, answer] of this.open) answer({ ...LOST, id });
    this.open.clear();
    this.onState({ kind: "lost", retryAt: performance.now() + this.waitMs });
    clearTimeout(this.retry);
    this.retry = window.setTimeout(() => this.connectNow(), this.waitMs);
    this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
  }

  private receive(data: string | ArrayBuffer): void {
    // One message that cannot be drawn must not end the ones after it.
    try {
      if (typeof data !== "string") {
        this.onSample(decodeSample(data, performance.now()));
        return;
      }
      const message = JSON.parse(data) as ServerMessage;
      if (message.type === "reply" || message.type === "completed" || message.type === "plan_file") {
        this.open.get(message.id)?.(message);
        this.open.delete(message.id);
        return;
      }
      const handle = this.handlers[message.type] as ((message: ServerMessage) => void) | undefined;
      handle?.(message);
    } catch (error) {
      console.error("a message could not be used", error);
    }
  }
}
