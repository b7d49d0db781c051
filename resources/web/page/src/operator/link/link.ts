// The page's link to the operator process: pairs, answers the two offers, hands on what comes, and starts again when it
// is lost. Says in words how it is. Decides nothing about motion; it only says at once that it is lost.

import { pair } from "./pairing";
import { decodeState, encodeHands, checkOf, type ArmState, type Hand } from "./packets";
import { Peer } from "./peer";
import { SoundTrack } from "./sound_track";
import { encodeSound, type SoundBlock } from "../../sound/packets";
import type { Answer, Candidate, DeviceKind, OperatorSignal, OperatorWords, PageWords, Replied, Said, SignIn, StopNow, WayIn } from "./protocol";
import { secret } from "./secret";
import { StatesEar } from "./states_ear";

export type LinkState =
  | { readonly kind: "connecting"; readonly words: string }
  | { readonly kind: "connected" }
  | { readonly kind: "lost"; readonly words: string; readonly retryAt: number }
  | { readonly kind: "refused"; readonly words: string; readonly wayIn: WayIn };

/** What something may begin by; the link says when it was said. */
export type Instruction = Omit<Said, "said_ms"> | Omit<Replied, "said_ms">;

export interface LinkHandlers {
  words(message: OperatorWords): void;
  /** came: when, by this page's clock [ms]. */
  arm(state: ArmState, came: number): void;
  cloud(data: ArrayBuffer): void;
  state(state: LinkState): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** An arm is kept for whoever is lost for ten seconds: so long it is tried at least once a second [ms]. */
const KEPT_FOR_MS = 15_000;
const WHILE_KEPT_MS = 1000;
/** Offers, answers and ways through the network take no longer [ms]. */
const CONNECT_WITHIN_MS = 15_000;
/** Nothing heard for so long on a link that speaks 60 times a second: it is dead [ms]. */
const SILENCE_MS = 2500;
/** What waits unsent is old: no pose is ever queued [bytes]. */
const MOST_WAITING = 2048;
/** Sound that waits so long to be sent comes too late: two seconds of it [bytes]. */
const MOST_SOUND_WAITING = 65_536;
/** A stop is repeated until it is confirmed: where so much waits, enough of them do [bytes]. */
const MOST_STOPS_WAITING = 65_536;

export class Link {
  private socket: WebSocket | null = null;
  private peers: Peer[] = [];
  private readonly states = new StatesEar((data, came) => this.hearState(data, came));
  private hands: RTCDataChannel | null = null;
  private wordsChannel: RTCDataChannel | null = null;
  private soundChannel: RTCDataChannel | null = null;
  private soundTrack: SoundTrack | null = null;
  /** The talk that goes by the track. */
  private trackTalk: number | null = null;
  private current: LinkState = { kind: "connecting", words: "" };
  private attempt = 0;
  private waitMs = FIRST_WAIT_MS;
  private lostAt: number | null = null;
  private timer: number | undefined;
  private deadline: number | undefined;
  private heardAt = 0;
  private check = 0;
  private number = 0;
  private echo = 0;
  private echoCame = 0;

  constructor(
    private readonly kind: DeviceKind,
    private readonly handlers: LinkHandlers,
  ) {
    // Who was refused does not come back by himself; who was only lost does, and at once.
    const again = (): void => {
      if (this.current.kind === "lost") this.connectNow();
    };
    addEventListener("online", again);
    document.addEventListener("visibilitychange", again);
    addEventListener("hashchange", () => this.connectNow()); // a fresh token was put into the address
    setInterval(() => this.watch(), 500);
  }

  get state(): LinkState {
    return this.current;
  }

  get isConnected(): boolean {
    return this.current.kind === "connected";
  }

  /** Try now, unless it is connected or about to be. */
  connectNow(): void {
    if (this.current.kind === "connected" || (this.current.kind === "connecting" && this.attempt > 0)) return;
    clearTimeout(this.timer);
    void this.connect();
  }

  /** Since anything was heard [ms]. */
  silence(now: number): number {
    return now - this.heardAt;
  }

  /** Send the hands of a moment; false: there is no way just now, and they are dropped. Numbers are given here. */
  sendHands(hands: readonly Omit<Hand, "number">[]): boolean {
    const channel = this.hands;
    if (channel?.readyState !== "open" || channel.bufferedAmount > MOST_WAITING) return false;
    if (this.check === 0 || hands.length === 0) return false; // before its Welcome: what is sent would be foreign
    const sending = { check: this.check, sent: performance.now(), echo: this.echo, echoCame: this.echoCame };
    channel.send(encodeHands(hands.map((hand) => ({ ...hand, number: ++this.number })), sending));
    return true;
  }

  /** Say what something may begin by, with its time: held up on its way it is refused. false: nothing was sent. */
  instruct(instruction: Instruction): boolean {
    if (this.echo === 0) return false; // no state has come yet: nobody could tell how old it is
    return this.say({ ...instruction, said_ms: this.echo + performance.now() - this.echoCame });
  }

  /** Say something; false: not connected, nothing was sent. */
  say(message: PageWords): boolean {
    const channel = this.wordsChannel;
    if (channel?.readyState !== "open") return false;
    channel.send(JSON.stringify(message));
    return true;
  }

  /** A talk begins. It goes by the audio track, if there is one, and else block by block. */
  beginTalk(talk: number, microphone: MediaStreamTrack | null): void {
    this.trackTalk = null;
    if (this.soundTrack === null || microphone === null || this.soundChannel?.readyState !== "open") return;
    this.trackTalk = talk;
    this.soundTrack.begin(talk, microphone);
  }

  /** What the microphone gives of a talk; false if there is no way. A block that would wait for too long is left out. */
  sound(block: SoundBlock): boolean {
    const { talk, sequence, ending } = block;
    const { soundChannel: channel, soundTrack: track } = this;
    if (channel?.readyState !== "open") return false; // the track is of the same connection
    if (this.trackTalk === talk) {
      if (ending === "last") track?.end(talk, sequence);
      if (ending === "broken off") track?.breakOff(talk);
      return true;
    }
    if (channel.bufferedAmount < MOST_SOUND_WAITING) channel.send(encodeSound(block));
    return true;
  }

  /** Nothing more of this talk is sent. */
  stopTalk(talk: number): void {
    this.soundTrack?.breakOff(talk);
  }

  /** Say a stop over all that is open: the control connection, and the signalling's. */
  stop(id: string): void {
    const message = JSON.stringify({ type: "stop_now", id } satisfies StopNow);
    const { wordsChannel, socket } = this;
    for (const way of [wordsChannel?.readyState === "open" ? wordsChannel : null, socket?.readyState === WebSocket.OPEN ? socket : null]) {
      if (way !== null && way.bufferedAmount < MOST_STOPS_WAITING) way.send(message);
    }
  }

  private async connect(): Promise<void> {
    const attempt = ++this.attempt;
    this.drop();
    this.set({ kind: "connecting", words: "asking to be let in" });
    const admission = await pair(this.kind);
    if (attempt !== this.attempt) return;
    if (admission.kind === "refused") {
      this.refuse(admission.words, admission.wayIn);
      return;
    }
    if (admission.kind === "unreachable") {
      this.lose("the robot's computer does not answer");
      return;
    }
    this.set({ kind: "connecting", words: "waiting for the robot's computer" });
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/link`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "sign_in", secret: secret() } satisfies SignIn));
    socket.onmessage = ({ data }) => {
      if (attempt === this.attempt && typeof data === "string") void this.signal(data, attempt);
    };
    socket.onclose = ({ reason }) => {
      if (attempt === this.attempt) this.lose(reason || "the connection was closed");
    };
    this.deadline = window.setTimeout(() => {
      if (attempt === this.attempt && this.current.kind === "connecting") this.lose("no connection came about in 15 s");
    }, CONNECT_WITHIN_MS);
  }

  private async signal(text: string, attempt: number): Promise<void> {
    try {
      const message = JSON.parse(text) as OperatorSignal;
      if (message.type === "refused") {
        this.refuse(message.words, message.way_in);
        return;
      }
      if (message.type === "stop_confirmed") {
        this.handlers.words(message);
        return;
      }
      const send = (signal: Answer | Candidate): void => {
        if (attempt === this.attempt && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(signal));
      };
      this.set({ kind: "connecting", words: "looking for a way through the network" });
      const lost = (words: string): void => {
        // Without the cloud one can still see the arm; without control there is nothing.
        if (attempt === this.attempt && message.link === "control") this.lose(words);
      };
      const peer = new Peer(message, send, (channel) => this.take(channel, attempt), lost);
      this.peers.push(peer);
      await peer.answer();
      if (attempt === this.attempt && peer.sender !== null) {
        const failed = (talk: number, words: string): void => this.handlers.words({ type: "heard", talk, state: "over", text: "", words });
        this.soundTrack = new SoundTrack(peer.sender, (words) => this.say(words), failed);
      }
    } catch (error) {
      if (attempt === this.attempt) this.lose(`an offer could not be answered: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private take(channel: RTCDataChannel, attempt: number): void {
    if (attempt === this.attempt && channel.label === "states") {
      this.states.take(channel);
      return;
    }
    channel.onmessage = ({ data }) => {
      if (attempt !== this.attempt) return;
      // One message that cannot be used must not end the ones after it.
      try {
        this.receive(channel.label, data as string | ArrayBuffer);
      } catch (error) {
        console.error("a message could not be used", error);
      }
    };
    const use = (): void => {
      if (attempt !== this.attempt) return;
      if (channel.label === "hands") this.hands = channel;
      if (channel.label === "words") this.wordsChannel = channel;
      if (channel.label === "sound") this.soundChannel = channel;
      if (this.hands !== null && this.wordsChannel !== null && this.current.kind === "connecting") {
        clearTimeout(this.deadline);
        this.heardAt = performance.now();
        this.waitMs = FIRST_WAIT_MS;
        this.lostAt = null;
        this.set({ kind: "connected" });
      }
    };
    channel.onclose = () => {
      if (attempt === this.attempt && channel.label !== "cloud" && channel.label !== "sound") this.lose("the connection was closed");
    };
    if (channel.readyState === "open") use();
    else channel.onopen = use;
  }

  private receive(label: string, data: string | ArrayBuffer): void {
    if (label === "cloud") {
      if (typeof data !== "string") this.handlers.cloud(data);
      return;
    }
    if (typeof data !== "string") return;
    this.heardAt = performance.now();
    const message = JSON.parse(data) as OperatorWords;
    if (message.type === "welcome") this.check = checkOf(message.session);
    this.handlers.words(message);
  }

  /** One state that cannot be used does not end the ones after it: each comes in a turn of its own. */
  private hearState(data: ArrayBuffer, came: number): void {
    this.heardAt = Math.max(this.heardAt, came);
    const state = decodeState(data);
    if (state.now > this.echo) {
      this.echo = state.now;
      this.echoCame = came;
    }
    this.handlers.arm(state, came);
  }

  private watch(): void {
    if (this.current.kind === "connected" && performance.now() - this.heardAt > SILENCE_MS) this.lose("nothing was heard for two seconds");
  }

  private lose(words: string): void {
    this.attempt += 1;
    this.drop();
    this.set({ kind: "lost", words, retryAt: performance.now() + this.waitMs });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.connectNow(), this.waitMs);
    this.lostAt ??= performance.now();
    const longest = performance.now() - this.lostAt < KEPT_FOR_MS ? WHILE_KEPT_MS : LONGEST_WAIT_MS;
    this.waitMs = Math.min(2 * this.waitMs, longest);
  }

  private refuse(words: string, wayIn: WayIn): void {
    this.attempt += 1;
    this.drop();
    this.set({ kind: "refused", words, wayIn });
  }

  private drop(): void {
    clearTimeout(this.deadline);
    for (const peer of this.peers) peer.close();
    this.peers = [];
    this.states.forget();
    this.hands = this.wordsChannel = this.soundChannel = this.soundTrack = null;
    this.echo = this.check = 0;
    this.socket?.close();
    this.socket = null;
  }

  private set(state: LinkState): void {
    this.current = state;
    this.handlers.state(state);
  }
}
