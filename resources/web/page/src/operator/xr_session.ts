// An XR session from its beginning to its end: what the page has to know of it.

import type { Picture } from "./scene/picture";

export interface SessionEvents {
  /** It has gone to the background, or its space has jumped: what comes does not continue what was. */
  interrupted(reason: string): void;
  /** Whether it is seen may have changed. */
  seen(): void;
  /** The operator stands elsewhere now: put the scene before him anew. */
  moved(): void;
  ended(): void;
}

/** Begin one. Needs a tap. `overlay`: the page's part that stays visible on a phone. Throws an Error with words. */
export async function begin(mode: XRSessionMode, room: boolean, overlay: HTMLElement, picture: Picture, events: SessionEvents): Promise<XRSession> {
  const xr = navigator.xr;
  if (xr === undefined) throw new Error("this browser has no WebXR");
  let session: XRSession;
  try {
    session = await xr.requestSession(mode, {
      requiredFeatures: ["local"], optionalFeatures: ["dom-overlay", "hand-tracking"], domOverlay: { root: overlay },
    });
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
  session.addEventListener("visibilitychange", () => {
    if (session.visibilityState !== "visible") events.interrupted("the session went to the background");
    events.seen();
  });
  session.addEventListener("end", () => events.ended());
  await picture.present(session, room, mode === "immersive-vr" || session.domOverlayState == null);
  picture.space?.addEventListener("reset", () => {
    events.interrupted("the device found itself elsewhere");
    events.moved();
  });
  return session;
}

function whyNot(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") {
    return "the session was not allowed: answer the browser's question with yes, or allow AR and VR for this page, left of the address";
  }
  if (name === "NotSupportedError") return "this device cannot do that just now: is another session running, is the headset awake?";
  if (name === "InvalidStateError") return "a session is running already: end it first";
  return `the session did not start: ${error instanceof Error ? error.message : String(error)}`;
}
