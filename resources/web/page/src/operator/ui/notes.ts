// What is said and happens, as lines: the latest over the picture (which: `talk.ts`), all of them in the drawer.

import { h } from "../../elements";
import { Talk, type Note } from "./talk";
import { Unanswered } from "./unanswered";

const KEPT = 200;

export class Notes {
  readonly latest = h("ol", { class: "latest", attributes: { role: "log", "aria-live": "polite" } });
  readonly all = h("ol", { class: "log" });
  private readonly talk = new Talk();
  private readonly unanswered = new Unanswered();
  private shown = "";

  /** Something happened, here or at the robot. */
  add(kind: string, text: string, number = 0, readBack = ""): void {
    this.log(this.talk.hear({ kind, text, number, readBack }, performance.now()));
  }

  /** This page's own words were sent. id: comes back with what came of them. */
  say(id: string, text: string): void {
    this.unanswered.say(id, text, performance.now());
    this.log(this.talk.say(text, performance.now()));
  }

  /** A question was answered by a press. */
  reply(question: string): void {
    this.unanswered.say(question, "your answer", performance.now());
  }

  /** What came of it. */
  settle(id: string, isOk: boolean, text: string, number: number): void {
    this.unanswered.settle(id);
    this.log(this.talk.settle(isOk, { text, number }, performance.now()));
  }

  /** Say what nothing has come of, and leave what is past. Call it a few times a second, and, if the link is lost, once. */
  look(isLost = false): void {
    this.show();
    for (const words of isLost ? this.unanswered.lose() : this.unanswered.look(performance.now())) this.add("refused", words);
  }

  /** For the log only: the page says it otherwise. */
  keep(kind: string, text: string): void {
    this.append({ kind, text });
  }

  private log(note: Note | null): void {
    if (note !== null) this.append(note);
    this.show();
  }

  private append(note: Note): void {
    this.all.append(line(note));
    while (this.all.childElementCount > KEPT) this.all.firstElementChild!.remove();
    this.all.scrollTop = this.all.scrollHeight;
  }

  private show(): void {
    const [main, all] = this.talk.shown(performance.now());
    const lines = all.map((note) => line(note, note === main ? " main" : ""));
    const now = lines.map((each) => each.outerHTML).join("");
    if (now === this.shown) return;
    this.shown = now;
    this.latest.replaceChildren(...lines);
  }
}

function line({ kind, text }: Note, more = ""): HTMLLIElement {
  return h("li", { class: `note ${kind}${more}` }, text);
}
