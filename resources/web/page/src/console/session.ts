// The token of this run: it comes in the address, and is kept in this tab's storage, which no other origin can
// read and no browser sends anywhere; a cookie would go to every port of the host.
// And the page's own key, by which the server knows it again when it is reloaded.

const TOKEN = "pilothouse.token";
const KEY = "pilothouse.page";
const kept = new Map<string, string>(); // where a browser forbids storage; then a reloaded page is a new one

/** The token of the address, if there is one, else the one from before; "": there is none. */
export function token(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    keep(TOKEN, given);
    // Out of the address bar, where it could be read over a shoulder or end in a bookmark.
    history.replaceState(null, "", location.pathname);
  }
  return recall(TOKEN);
}

/** This page's key: the same after a reload, another one in every tab. */
export function pageKey(): string {
  if (recall(KEY) === "") {
    keep(KEY, Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return recall(KEY);
}

function keep(name: string, value: string): void {
  kept.set(name, value);
  try {
    sessionStorage.setItem(name, value);
  } catch {
    return;
  }
}

function recall(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? kept.get(name) ?? "";
  } catch {
    return kept.get(name) ?? "";
  }
}
