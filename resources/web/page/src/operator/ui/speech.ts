// Push-to-talk by the browser's own recogniser, where it has one.

interface Result {
  readonly isFinal: boolean;
  readonly 0: { readonly transcript: string };
}
interface ResultEvent extends Event {
  readonly results: ArrayLike<Result>;
}
interface Recognition extends EventTarget {
  lang: string;
  interimResults: boolean;
  onresult: ((event: ResultEvent) => void) | null;
  onend: (() => void) | null;
  onerror: ((event: Event & { readonly error: string }) => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

const TROUBLE: Readonly<Record<string, string>> = {
  "not-allowed": "the microphone may not be used: allow it for this page, left of the address",
  "service-not-allowed": "this browser may not recognise speech here: type instead",
  "audio-capture": "there is no microphone",
  network: "the browser's recogniser needs the internet, and cannot reach it: type instead",
  "no-speech": "nothing was heard",
};

/** The recogniser's class; null if this browser has none. */
export function recognition(): (new () => Recognition) | null {
  const here = globalThis as { SpeechRecognition?: new () => Recognition; webkitSpeechRecognition?: new () => Recognition };
  return here.SpeechRecognition ?? here.webkitSpeechRecognition ?? null;
}

export class Speech {
  private present: Recognition | null = null;

  /** heard: what was understood so far, and whether that is all. trouble: why nothing is. */
  constructor(
    private readonly heard: (text: string, isFinal: boolean) => void,
    private readonly trouble: (words: string) => void,
  ) {}

  begin(): void {
    const Recogniser = recognition();
    if (Recogniser === null) {
      this.trouble("this browser does not understand speech: type instead");
      return;
    }
    this.present?.abort();
    const recogniser = new Recogniser();
    recogniser.lang = "en-US";
    recogniser.interimResults = true;
    recogniser.onresult = ({ results }) => {
      const all = Array.from(results);
      this.heard(all.map((each) => each[0].transcript).join(" ").trim(), all.every((each) => each.isFinal));
    };
    recogniser.onerror = ({ error }) => {
      if (error !== "aborted") this.trouble(TROUBLE[error] ?? `speech was not recognised (${error})`);
    };
    this.present = recogniser;
    try {
      recogniser.start();
    } catch (error) {
      this.trouble(error instanceof Error ? error.message : String(error));
    }
  }

  /** The button was let go: what was said until now is recognised. */
  end(): void {
    this.present?.stop();
    this.present = null;
  }
}
