// The ways to drive that this device offers, as buttons; and why the others are not there.

import { h, setText } from "../../elements";
import type { Capability } from "./capabilities";

export interface Way {
  readonly name: string;
  /** Name of the master that it begins. */
  readonly master: string;
  /** What it does and what is lost, in a few words. */
  readonly words: string;
  readonly start: () => void;
}

export class Ways {
  readonly element: HTMLElement;
  readonly list = h("ul", { class: "capabilities" });
  private readonly buttons = h("div", { class: "way-buttons" });
  private readonly words = h("p", { class: "way-words" });

  constructor() {
    this.element = h("section", { class: "ways" }, this.buttons, this.words);
  }

  /** `present`: the master that is driven by; "": none yet. */
  show(ways: readonly Way[], present = ""): void {
    this.buttons.replaceChildren(...ways.map((way) =>
      h("button", { class: way.master === present ? "way present" : "way", title: way.words, attributes: { type: "button" }, onclick: way.start }, way.name)));
    setText(this.words, (ways.find((way) => way.master === present) ?? ways[0])?.words ?? "");
    this.element.hidden = ways.length === 0;
  }

  say(words: string): void {
    setText(this.words, words);
  }

  showCapabilities(capabilities: readonly Capability[]): void {
    this.list.replaceChildren(...capabilities.map(({ name, works, words }) =>
      h("li", { class: works ? "works" : "misses" }, h("b", {}, name), ` ${words}.`)));
  }
}
