// The operator's camera: asked for, or why there is none, in words.

/** Enough for a hand at arm's length; larger pictures take the tracker twice as long [px]. */
const WIDTH = 320;
const HEIGHT = 240;

/** The operator's camera at about so many pictures a second. Throws an error with words for people. */
export async function camera(picturesPerS: number): Promise<MediaStream> {
  // Browsers leave this out on pages that others could have changed on their way.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  if (devices === undefined) throw new Error("the browser gives cameras only to pages over https, or of this machine: open the console there");
  try {
    return await devices.getUserMedia({ audio: false, video: { width: { ideal: WIDTH }, height: { ideal: HEIGHT }, frameRate: { ideal: picturesPerS } } });
  } catch (error) {
    throw new Error(refusal(error instanceof DOMException ? error.name : String(error)));
  }
}

/** Why there is no camera, by the name of the browser's error. */
export function refusal(name: string): string {
  switch (name) {
    case "NotAllowedError":
      return "the camera was not allowed: allow it beside the address, and switch gestures on again";
    case "NotFoundError":
    case "OverconstrainedError":
      return "there is no camera: plug one in, and switch gestures on again";
    case "NotReadableError":
    case "AbortError":
      return "the camera is busy: close what else uses it, and switch gestures on again";
    default:
      return `the camera does not work (${name})`;
  }
}
