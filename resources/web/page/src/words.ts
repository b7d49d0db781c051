// Numbers and times as people say them, and sentences.

/** A span of time: "3 s", "2 min", "1 h". */
export function span(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** The time of day of a moment given in seconds since 1970. */
export function timeOfDay(wallSeconds: number): string {
  return new Date(wallSeconds * 1000).toLocaleTimeString("en-GB");
}

/** A name of the program's as words: "front_camera" → "front camera". */
export function asWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** With a capital at its beginning and a stop at its end; "" stays "". */
export function sentence(words: string): string {
  return words === "" ? "" : `${words[0]!.toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
