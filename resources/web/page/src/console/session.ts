// The token of this run: it comes in the address, is traded for a cookie, and leaves the address.
// And the page's own key, by which the server knows it again when it is reloaded.

export type Session = "good" | "refused" | "unreachable";

/** Trade the token in the address, if there is one, and see whether this page may talk to the server. */
export async function openSession(): Promise<Session> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  try {
    if (token === null) return await askSession();
    const answer = await fetch("/api/session", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      cache: "no-store",
    });
    // Out of the address bar, where it could be read over a shoulder or end in a bookmark.
    if (answer.ok) history.replaceState(null, "", location.pathname);
    return answer.ok ? "good" : "refused";
  } catch {
    return "unreachable";
  }
}

/** Whether the cookie is still that of the server's present run. */
export async function askSession(): Promise<Session> {
  try {
    const answer = await fetch("/api/session", { cache: "no-store" });
    return answer.ok ? "good" : answer.status === 401 ? "refused" : "unreachable";
  } catch {
    return "unreachable";
  }
}

const KEY = "pilothouse.page";
let key = "";

/** This page's key: the same after a reload, another one in every tab. */
export function pageKey(): string {
  if (key !== "") return key;
  key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    key = sessionStorage.getItem(KEY) ?? key;
    sessionStorage.setItem(KEY, key);
  } catch {
    return key; // a browser may forbid storage; then a reloaded page is a new one
  }
  return key;
}
