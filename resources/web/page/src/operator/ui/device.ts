// Finding out what this device is and can do.

import { hid } from "../masters/space_mouse";
import type { DeviceKind } from "../link/protocol";
import type { Found } from "./capabilities";

export async function findOut(): Promise<Found> {
  const agent = navigator.userAgent;
  const coarse = matchMedia("(pointer: coarse)").matches;
  // An iPad calls itself a Mac; no Mac has a touch screen.
  const ios = /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1);
  const [ar, vr] = await Promise.all([offers("immersive-ar"), offers("immersive-vr")]);
  const gyro = typeof DeviceOrientationEvent === "undefined" || !isSecureContext ? "none" : "requestPermission" in DeviceOrientationEvent ? "ask" : "there";
  return {
    secure: isSecureContext,
    host: location.hostname,
    ios,
    android: /Android/.test(agent),
    headset: /OculusBrowser|Quest|PicoBrowser|Pico |Wolvic|VisionOS|MagicLeap/.test(agent),
    coarse,
    xr: navigator.xr !== undefined,
    ar,
    vr,
    microphone: navigator.mediaDevices !== undefined && typeof AudioWorkletNode === "function",
    vibration: typeof navigator.vibrate === "function",
    gyroscope: gyro,
    hid: hid() !== null,
    gamePad: typeof navigator.getGamepads === "function" && isSecureContext,
    webrtc: typeof RTCPeerConnection === "function",
  };
}

export function kindOf(found: Found): DeviceKind {
  if (found.headset) return "headset";
  return found.coarse || found.ios || found.android ? "phone" : "desk";
}

async function offers(mode: XRSessionMode): Promise<boolean> {
  try {
    return (await navigator.xr?.isSessionSupported(mode)) ?? false;
  } catch {
    return false; // forbidden here: the same as not there
  }
}
