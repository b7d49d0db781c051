// The emergency stop of this page: sent both ways at once, and what came of it in words.

import type { StopNow } from "../link/protocol";
import { stopOverHttp } from "../link/stop";

const PRESSED = "You pressed the emergency stop.";
const STOPPED_WITHOUT_LINK = "The stop was sent, and taken: there is no link, but https works.";
const NOT_STOPPED = "No link: the stop was NOT sent. The arm holds without a link; use the stop on the console or at the robot.";

/** Stop everything: stopping twice does no harm. say: over the link; whether there is one. note: for the person. */
export async function stopEverything(say: (message: StopNow) => boolean, note: (kind: "emergency" | "error", words: string) => void): Promise<void> {
  const taken = stopOverHttp();
  if (say({ type: "stop_now" })) {
    note("emergency", PRESSED);
    return;
  }
  note("emergency", `${PRESSED} No link: sending it over https…`);
  if (await taken) note("emergency", STOPPED_WITHOUT_LINK);
  else note("error", NOT_STOPPED);
}
