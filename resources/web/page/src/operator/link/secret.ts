// By what this device is known once it has paired. It is kept in this origin's own storage: no other port of the
// host can read it, and no browser sends it anywhere, as it would a cookie. Not in the tab's: a phone that was put
// away has often closed that, and is to come back without a code. The server forgets it first; docs/teleoperation.md.

const NAME = "pilothouse.operator";
let inMemory = ""; // where a browser forbids storage; then a page that is loaded anew has to pair anew

/** "": this device has not paired. */
export function secret(): string {
  try {
    return localStorage.getItem(NAME) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** From now on it is this one. */
export function keepSecret(secret: string): void {
  inMemory = secret;
  try {
    localStorage.setItem(NAME, secret);
  } catch {
    return;
  }
}

/** For requests. */
export function bearer(): Readonly<Record<string, string>> {
  const known = secret();
  return known === "" ? {} : { Authorization: `Bearer ${known}` };
}
