// What this device can and cannot do here, in words, and what to do about it. Pure: what was found out comes in.

export interface Found {
  readonly secure: boolean;
  /** Host name of the address. */
  readonly host: string;
  readonly ios: boolean;
  readonly android: boolean;
  readonly headset: boolean;
  readonly coarse: boolean;
  /** `navigator.xr` is there; which sessions it offers. */
  readonly xr: boolean;
  readonly ar: boolean;
  readonly vr: boolean;
  readonly microphone: boolean;
  readonly vibration: boolean;
  readonly gyroscope: "ask" | "there" | "none";
  readonly hid: boolean;
  readonly gamePad: boolean;
  readonly webrtc: boolean;
}

export interface Capability {
  readonly name: string;
  readonly works: boolean;
  readonly words: string;
}

export function capabilities(found: Found): readonly Capability[] {
  return [link(found), drivingByMoving(found), headset(found), microphone(found), felt(found), desk(found)];
}

/** Why nothing that needs a secure context works; "" if this is one. */
function insecure({ secure, host }: Found): string {
  if (secure) return "";
  return `this page came over plain http from ${host}, and browsers allow this only over https: open the https address that the console's code says, and accept its certificate once`;
}

function link({ webrtc }: Found): Capability {
  return webrtc
    ? { name: "Link", works: true, words: "WebRTC, encrypted" }
    : { name: "Link", works: false, words: "this browser has no WebRTC, without which nothing reaches the arm: use a current Chrome, Safari or Firefox" };
}

function drivingByMoving(found: Found): Capability {
  const name = "Moving the phone";
  if (!found.coarse && !found.ar) return { name, works: false, words: "this is no phone: drive by keys, game-pad, space mouse or headset" };
  if (found.ar && !found.headset) return { name, works: true, words: "WebXR: the phone knows where it is and how it is held" };
  if (found.headset) return { name, works: false, words: "this is a headset: see below" };
  const without = found.gyroscope === "none" ? "only touch is left" : "the gyroscope and touch are left: the arm turns as the phone turns and goes as the finger goes; walking around it does nothing";
  if (found.ios) return { name, works: false, words: `iPhones and iPads have no WebXR, in no browser: ${without}` };
  const bar = insecure(found);
  if (bar !== "") return { name, works: false, words: `${bar}. Until then ${without}` };
  if (!found.xr) return { name, works: false, words: `this browser has no WebXR: use Chrome on Android. Here ${without}` };
  return { name, works: false, words: `this phone offers no AR: install or update “Google Play Services for AR”, if the phone is on its list. Here ${without}` };
}

function headset(found: Found): Capability {
  const name = "Headset";
  if (found.vr || (found.headset && found.ar)) return { name, works: true, words: "WebXR: two controllers, or bare hands; a base is driven by the stick: press the clutch first" };
  const bar = insecure(found);
  if (found.headset && bar !== "") return { name, works: false, words: bar };
  if (!found.xr) return { name, works: false, words: found.ios || !found.coarse ? "this browser has no WebXR; open this page in the headset's own browser" : "this browser has no WebXR" };
  return { name, works: false, words: "no headset is there: open this page in the headset's own browser, or connect one and reload the page" };
}

function microphone(found: Found): Capability {
  const name = "Speaking";
  const bar = insecure(found);
  if (bar !== "") return { name, works: false, words: bar };
  if (!found.microphone) return { name, works: false, words: "this browser gives no microphone to pages: type instead; a keyboard's own microphone key works, too" };
  return { name, works: true, words: "hold the microphone; the browser asks for permission the first time; the sound goes to the robot's computer and nowhere else" };
}

function felt({ vibration, ios, headset: isHeadset, coarse }: Found): Capability {
  const name = "Feeling";
  if (isHeadset) return { name, works: true, words: "the controllers pulse; bare hands feel nothing, there the picture's edge and sounds say it" };
  if (vibration && coarse) return { name, works: true, words: "the phone vibrates at contacts, if its settings and silent mode allow it" };
  const instead = "the picture's edge lights up and sounds are made instead";
  return { name, works: false, words: ios ? `iPhones let no page vibrate: ${instead}` : coarse ? `this browser cannot vibrate: ${instead}` : `only a game-pad can be felt here: ${instead}` };
}

function desk({ hid, gamePad, coarse, headset: isHeadset }: Found): Capability {
  const name = "Desk";
  if (coarse && !isHeadset) return { name, works: gamePad, words: gamePad ? "a game-pad connected to this phone works, too" : "no game-pads in this browser" };
  const mouse = hid ? "space mouse" : "no space mouse (only Chrome and Edge have WebHID, over https or on this computer)";
  return { name, works: true, words: `keyboard, ${gamePad ? "game-pad" : "no game-pads in this browser"}, ${mouse}` };
}
