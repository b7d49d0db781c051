// As much of a browser as the link needs: an operator process that lets whoever has its code in, and offers one
// link each time to whoever says the secret that it gave for that.

const SECRET = "of this session";
const SIGN_IN = JSON.stringify({ type: "sign_in", secret: SECRET });

export class FakeChannel {
  readyState = "open";
  bufferedAmount = 0;
  readonly sent: ArrayBuffer[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;

  constructor(readonly label: string) {}

  send(data: ArrayBuffer): void {
    this.sent.push(data);
  }
}

class FakeSocket {
  static readonly OPEN = 1;
  static newest: FakeSocket;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: string[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onopen: (() => void) | null = null;
  onclose: ((event: { reason: string }) => void) | null = null;

  constructor() {
    FakeSocket.newest = this;
    queueMicrotask(() => this.onopen?.());
  }

  send(data: string): void {
    if (data !== SIGN_IN) {
      this.sent.push(data);
      return;
    }
    const offer = { type: "offer", link: "control", sdp: "", ice: [], relay_only: false };
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(offer) }));
  }

  close(): void {}
}

/** One connection of the page to the operator process. */
export class FakeLink {
  readonly hands = new FakeChannel("hands");
  readonly words = new FakeChannel("words");
  readonly states = new FakeChannel("states");

  constructor(readonly signalling: FakeSocket) {}

  welcome(session: string): void {
    this.words.onmessage!({ data: JSON.stringify({ type: "welcome", protocol: 1, session, name: "phone 1", installation: "bench" }) });
  }

  lose(): void {
    this.hands.onclose!();
  }
}

const PAIRED = { type: "paired", session: "", name: "phone 1", certificate: "" };

/** Installs it; returns the links that have come about, the newest last. */
export function fakeBrowser(): FakeLink[] {
  const links: FakeLink[] = [];

  class FakeConnection {
    ondatachannel: ((event: { channel: FakeChannel }) => void) | null = null;
    localDescription = { sdp: "" };

  getTransceivers(): readonly RTCRtpTransceiver[] {
    return [];
  }

    async setRemoteDescription(): Promise<void> {}

    async setLocalDescription(): Promise<void> {
      const link = new FakeLink(FakeSocket.newest);
      links.push(link);
      for (const channel of [link.hands, link.words, link.states]) this.ondatachannel!({ channel });
    }

    close(): void {}
  }

  const place = { hash: "#token=code", protocol: "https:", host: "robot", pathname: "/", search: "" };
  const found = { addEventListener: () => undefined, setInterval: () => 0, location: place, WebSocket: FakeSocket, RTCPeerConnection: FakeConnection };
  Object.assign(globalThis, found, {
    window: globalThis, document: { addEventListener: () => undefined },
    history: { replaceState: () => (place.hash = "") },
    fetch: async (_: string, { method }: RequestInit) => new Response(JSON.stringify({ ...PAIRED, secret: method === "POST" ? SECRET : "" })),
  });
  return links;
}
