// A thread that hears the channel "states": a page that draws does not hold up when a state came. Decides nothing.

/** What the page gives: a link's channel, the link's number, and when the page's own clock began. */
export interface Given {
  readonly channel: RTCDataChannel;
  readonly link: number;
  readonly origin: number;
}

/** What it is told: a state of that link; came: by the page's clock [ms]. Before the first: that the thread is there. */
export type Told = { readonly link: number; readonly data: ArrayBuffer; readonly came: number } | "ready";

const page = self as unknown as { postMessage(told: Told, transfer?: Transferable[]): void };

self.onmessage = ({ data: { channel, link, origin } }: MessageEvent<Given>) => {
  const ahead = performance.timeOrigin - origin;
  channel.binaryType = "arraybuffer";
  channel.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) page.postMessage({ link, data, came: performance.now() + ahead }, [data]);
  };
};
page.postMessage("ready");
