// The browser's own voice, where it has one. Nothing of it goes through the robot.

import type { Synthesizer } from "./spoken_answers";

const LANGUAGE = "en";
/** Voices come a while after the page [ms]. */
const VOICES_WITHIN_MS = 2000;

const TROUBLE: Readonly<Record<string, string>> = {
  "not-allowed": "the browser does not let this page speak: press the button once more",
  "audio-busy": "the loudspeaker is busy",
  "audio-hardware": "there is no loudspeaker",
  network: "the browser's voice needs the internet, and cannot reach it",
  "language-unavailable": "the browser has no English voice",
  "voice-unavailable": "the browser has no such voice",
};

export function browserVoice(): Synthesizer {
  const synthesis = (globalThis as { speechSynthesis?: SpeechSynthesis | null }).speechSynthesis;
  if (synthesis === undefined || synthesis === null) {
    return { trouble: () => Promise.resolve("this browser cannot speak"), say: (_, over) => over("this browser cannot speak"), hush: () => undefined };
  }
  return {
    async trouble() {
      const voices = await voicesOf(synthesis);
      if (voices.length === 0) return "this browser has no voices: install some (speech-dispatcher on Linux), or use the robot's loudspeaker";
      return english(voices) === undefined ? "the browser has no English voice" : "";
    },
    say(words, over) {
      const utterance = new SpeechSynthesisUtterance(words);
      utterance.lang = "en-US";
      utterance.voice = english(synthesis.getVoices()) ?? null;
      utterance.onend = () => over("");
      utterance.onerror = ({ error }) => over(error === "canceled" || error === "interrupted" ? "" : TROUBLE[error] ?? error);
      synthesis.speak(utterance);
    },
    hush() {
      try {
        synthesis.cancel();
      } catch (error) {
        console.error("the browser's voice cannot be silenced", error); // whoever stops goes on stopping
      }
    },
  };
}

function english(voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const fitting = voices.filter(({ lang }) => lang.toLowerCase().startsWith(LANGUAGE));
  // One of this machine first: what is said need not leave it.
  return fitting.find(({ localService }) => localService) ?? fitting[0];
}

function voicesOf(synthesis: SpeechSynthesis): Promise<readonly SpeechSynthesisVoice[]> {
  const now = synthesis.getVoices();
  if (now.length > 0) return Promise.resolve(now);
  return new Promise((resolve) => {
    const timer = setTimeout(done, VOICES_WITHIN_MS);
    synthesis.addEventListener("voiceschanged", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      resolve(synthesis.getVoices());
    }
  });
}
