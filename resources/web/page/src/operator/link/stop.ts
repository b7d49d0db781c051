// The emergency stop's second way: over https, which often still works when there is no link.

/** Nobody who stops waits longer to be told whether it was taken [ms]. */
const WITHIN_MS = 1000;

/** Stop everything; whether that was taken, within a second. */
export async function stopOverHttp(withinMs = WITHIN_MS): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), withinMs);
  try {
    const { status } = await fetch("/stop", { method: "POST", cache: "no-store", keepalive: true, signal: late.signal });
    return status === 204;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
