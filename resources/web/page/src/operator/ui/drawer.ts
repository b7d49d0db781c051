// What is wanted now and then: other ways to drive, what works on this device, switches, the whole log.

import { h } from "../../elements";

export class Drawer {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  /** For ways to drive that take no room on the page meanwhile. */
  readonly ways = h("div", { class: "slot", onclick: () => this.toggle(false) });

  constructor(...parts: readonly (readonly [string, HTMLElement])[]) {
    const close = h("button", { class: "close", attributes: { type: "button" }, onclick: () => this.toggle(false) }, "Close");
    this.element = h("aside", { class: "drawer" }, close, this.ways, ...parts.flatMap(([title, part]) => [h("h2", {}, title), part]));
    this.element.hidden = true;
    this.button = h("button", { class: "more", attributes: { type: "button" }, onclick: () => this.toggle() }, "More");
  }

  private toggle(open = this.element.hidden): void {
    this.element.hidden = !open;
  }
}

/** A switch with its words. */
export function option(words: string, on: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { attributes: { type: "checkbox" } });
  box.checked = on;
  box.addEventListener("change", () => {
    onChange(box.checked);
    box.blur(); // keys are the arm's again
  });
  return h("label", { class: "option" }, box, words);
}
