// Getting in: the token of the code comes in the address, is traded for a secret, and leaves the address.

import { bearer, keepSecret, secret } from "./secret";
import type { DeviceKind, Paired, Refused, WayIn } from "./protocol";

export type Admission =
  | { readonly kind: "in"; readonly paired: Paired }
  | { readonly kind: "refused"; readonly words: string; readonly wayIn: WayIn }
  | { readonly kind: "unreachable" };

const NOT_PAIRED = "This device is not let in. Point its camera at the code on the console; if there is none, have one made there.";

/** Trade the token in the address, if there is one; else see whether this device's secret is still good. */
export async function pair(kind: DeviceKind): Promise<Admission> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return askAgain();
  const admission = await ask({
    method: "POST",
    headers: { "Content-Type": "application/json", ...bearer() },
    body: JSON.stringify({ type: "pair", token, kind, name: "" }),
  });
  if (admission.kind === "unreachable") return admission;
  // Out of the address bar, where it could be read over a shoulder or end in a bookmark.
  history.replaceState(null, "", location.pathname + location.search);
  if (admission.kind === "in") return admission;
  // An old code in the address of a device that is in already.
  const earlier = await askAgain();
  return earlier.kind === "in" ? earlier : admission;
}

/** By the secret of before. */
async function askAgain(): Promise<Admission> {
  return secret() === "" ? { kind: "refused", words: NOT_PAIRED, wayIn: "code" } : ask({ headers: bearer() });
}

async function ask(request: RequestInit): Promise<Admission> {
  let answer: Response;
  try {
    answer = await fetch("/pair", { ...request, cache: "no-store" });
  } catch {
    return { kind: "unreachable" };
  }
  const said = await wordsOf(answer);
  if (said?.type === "paired") {
    if (said.secret !== "") keepSecret(said.secret);
    return { kind: "in", paired: said };
  }
  if (said?.type === "refused") return { kind: "refused", words: said.words, wayIn: said.way_in };
  return answer.status >= 500 ? { kind: "unreachable" } : { kind: "refused", words: NOT_PAIRED, wayIn: "code" };
}

async function wordsOf(answer: Response): Promise<Paired | Refused | null> {
  try {
    return (await answer.json()) as Paired | Refused;
  } catch {
    return null;
  }
}
