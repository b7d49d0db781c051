// How far the arm goes for a hand's motion: chosen with a slider, a controller, or in words. Pure.

import { LEAST_SCALE, MOST_SCALE } from "../link/protocol";

/** The slider's steps. */
export const SCALES: readonly number[] = [0.1, 0.2, 0.5, 1, 2];

/** The next finer one; after the finest the whole again. */
export function nextScale(scale: number): number {
  const finer = SCALES.filter((each) => each < scale && each <= 1);
  return finer.at(-1) ?? 1;
}

const NUMBERS: Readonly<Record<string, number>> = {
  one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, fifteen: 15, twenty: 20, fifty: 50,
};
const PARTS: Readonly<Record<string, number>> = {
  full: 1, normal: 1, half: 0.5, "a third": 1 / 3, "a quarter": 0.25, quarter: 0.25, "a fifth": 0.2, "a tenth": 0.1,
  fine: 0.2, "fine work": 0.2, "very fine": 0.1, "very fine work": 0.1, double: 2, twice: 2,
};
const FINER = /^(?:finer|smaller|more precise|more precisely|more finely|scale down)$/;
const COARSER = /^(?:coarser|larger|bigger|less fine|rougher|scale up)$/;
const HALVED = /^(?:half the scale|halve (?:the |it|that)?(?:scale)?|half (?:of )?that|half as (?:much|far)|twice as fine)$/;
const DOUBLED = /^(?:double the scale|double (?:it|that)|twice (?:the scale|that|as (?:much|far))|half as fine)$/;

/** The scale that an instruction asks for, of what it is now; null: it is about something else. */
export function spokenScale(text: string, now: number): number | null {
  const words = text.trim().toLowerCase().replace(/[.!?]$/, "").replace(/^(?:please )|,? please$/g, "").trim();
  const asked = words.replace(/^(?:go |make it |a (?:bit|little) |even |much )+/, "");
  if (FINER.test(asked)) return SCALES.filter((each) => each < now - 1e-9).at(-1) ?? Math.min(now, SCALES[0]!);
  if (COARSER.test(asked)) return SCALES.find((each) => each > now + 1e-9) ?? MOST_SCALE;
  if (HALVED.test(asked)) return within(now / 2);
  if (DOUBLED.test(asked)) return within(now * 2);
  // "Set the scale to one to four", "scale 1:4", "a quarter scale": what stands beside the value, and what that is.
  const value = words.replace(/^(?:(?:set|change|use|choose|go to|take) )?(?:the |a |to )*(?:scale )?(?:of |to |at )?/, "").replace(/ (?:scale|size)$/, "");
  const isAboutScale = /\bscale\b/.test(words);
  const part = PARTS[value] ?? PARTS[`a ${value}`];
  if (part !== undefined) return part;
  const ratio = /^(\S+) ?(?:to|:|\/|in) ?(\S+)$/.exec(value);
  if (ratio !== null) {
    const [one, other] = [number(ratio[1]!), number(ratio[2]!)];
    return one > 0 && other > 0 && (one === 1 || other === 1) ? within(one / other) : null;
  }
  const percent = /^(\S+?) ?(?:percent|per cent|%)$/.exec(value);
  if (percent !== null) return isAboutScale && number(percent[1]!) > 0 ? within(number(percent[1]!) / 100) : null;
  return isAboutScale && number(value) > 0 ? within(number(value)) : null;
}

/** Whether it is an answer where something is asked: "fine". */
export function isAlsoYes(text: string): boolean {
  return /^\W*fine\W*$/i.test(text);
}

/** What the robot answers to words that it does not know, or to "what can you do?", with what this page takes besides. */
export function withOwnWords({ text, subject }: { text: string; subject: string }): string {
  if (subject === "not_understood") return `${text} Or set the scale here: “finer”, “coarser”, “one to four”.`;
  if (subject === "abilities") return `${text}\n- Set how far the arm goes for your hand, for instance "finer" or "one to four"`;
  return text;
}

/** A number in digits or in a word; NaN: it is none. */
function number(said: string): number {
  return NUMBERS[said] ?? (/^\d*\.?\d+$/.test(said) ? Number(said) : NaN);
}

function within(scale: number): number {
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
}
