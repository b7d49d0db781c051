// How far the arm goes for a hand's motion: chosen with a slider, a controller, or in words. Pure.

/** The slider's steps. */
export const SCALES: readonly number[] = [0.1, 0.2, 0.5, 1, 2];

/** The next finer one; after the finest the whole again. */
export function nextScale(scale: number): number {
  const finer = SCALES.filter((each) => each < scale && each <= 1);
  return finer.at(-1) ?? 1;
}

/** The scale that an instruction asks for; null: it is about something else. */
export function spokenScale(text: string): number | null {
  const words = text.trim().toLowerCase().replace(/[.!]$/, "");
  if (/^(scale )?(one to one|1 ?: ?1|normal|full)( scale| size)?$/.test(words)) return 1;
  if (/^(scale )?(half)( scale| size)?$/.test(words)) return 0.5;
  if (/^(scale )?(fine|finer|a fifth)( work| scale)?$/.test(words)) return 0.2;
  if (/^(scale )?(very fine|a tenth)( work| scale)?$/.test(words)) return 0.1;
  if (/^(scale )?(double|twice)( scale| size)?$/.test(words)) return 2;
  const number = /^(?:set )?(?:the )?scale (?:to )?(\d*\.?\d+)( percent| ?%)?$/.exec(words);
  if (number === null) return null;
  const value = Number(number[1]) / (number[2] === undefined ? 1 : 100);
  return Math.min(2, Math.max(0.05, value));
}
