// Everything that happened, in words, with times; the newest at the bottom.

import { h } from "../../elements";
import type { EventLine } from "../../protocol";
import { timeOfDay } from "../../words";
import { panel } from "./panel";

const MOST_LINES = 500;

export class LogPanel {
  private readonly panel = panel("log", "Log");
  readonly element = this.panel.element;
  private readonly list = h("ol", { class: "lines", attributes: { role: "log", "aria-live": "polite", tabindex: "0", "aria-label": "What happened" } });
  private readonly empty = h("p", { class: "empty" }, "Nothing has happened yet.");
  private newest = -1;
  private following = true;
  private top = 0;

  constructor() {
    const all: HTMLButtonElement = h("button", {
      class: "quiet steps", title: "Also show how mere questions were answered", attributes: { type: "button", "aria-pressed": "false" },
      onclick: () => {
        all.setAttribute("aria-pressed", String(this.list.classList.toggle("all")));
        this.follow();
      },
    }, "All steps");
    this.panel.note.after(all);
    this.panel.body.append(this.empty, this.list);
    this.list.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.list;
      // A panel that shrinks scrolls nothing upwards; only a reader does.
      if (scrollHeight - scrollTop - clientHeight < 40) this.following = true;
      else if (scrollTop < this.top) this.following = false;
      this.top = scrollTop;
    });
    new ResizeObserver(() => this.follow()).observe(this.list);
  }

  /** Another run began: its events are counted anew. */
  clear(): void {
    this.list.replaceChildren();
    this.newest = -1;
    this.empty.hidden = false;
  }

  /** Add the events that are not there yet. */
  add(lines: readonly EventLine[]): void {
    for (const line of lines) {
      if (line.number <= this.newest) continue;
      this.newest = line.number;
      this.append(line.wall_s, line.kind, line.text, line.who, line.aside);
    }
  }

  /** Add something that only this page knows. */
  note(kind: string, text: string): void {
    this.append(Date.now() / 1000, kind, text, "");
  }

  /** Whether one of the last lines says just this. */
  says(text: string): boolean {
    return [...this.list.children].slice(-12).some((line) => line.lastElementChild?.textContent === text);
  }

  private append(wallSeconds: number, kind: string, text: string, who: string, aside = false): void {
    const list = this.list;
    this.empty.hidden = true;
    const title = who === "" ? kind : `${kind} · ${who}`;
    const last = list.lastElementChild as HTMLElement | null;
    if (kind !== "heard" && last?.title === title && last.lastElementChild?.textContent === text && last.matches(".aside") === aside) {
      this.again(last, wallSeconds);
    } else {
      list.append(h("li", { class: aside ? "line aside" : "line", attributes: { "data-kind": kind }, title },
        h("time", {}, timeOfDay(wallSeconds)), h("span", { class: "line-text" }, text)));
    }
    while (list.children.length > MOST_LINES) list.firstElementChild?.remove();
    this.follow();
  }

  /** The same happened once more: it is counted, and when it was is when it was last. */
  private again(line: HTMLElement, wallSeconds: number): void {
    const count = Number(line.dataset["times"] ?? 1) + 1;
    line.dataset["times"] = String(count);
    line.querySelector("time")?.replaceChildren(timeOfDay(wallSeconds));
    line.querySelector(".times")?.remove();
    line.lastElementChild?.before(h("span", { class: "times" }, `${count} ×`));
  }

  /** Show the newest; whoever scrolled back to read is not torn away. */
  private follow(): void {
    if (this.following) this.list.scrollTop = this.list.scrollHeight;
  }
}
