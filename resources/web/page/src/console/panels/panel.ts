// The frame of a panel: a heading, a count, and a button that gives it the whole window.

import { h } from "../../elements";

export interface Panel {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly note: HTMLElement;
  readonly head: HTMLElement;
}

/** A panel named `title`; `name` is its class and its place on the page. */
export function panel(name: string, title: string): Panel {
  const note = h("span", { class: "panel-note" });
  const body = h("div", { class: "panel-body" });
  const element: HTMLElement = h("section", { class: `panel ${name}`, id: `panel-${name}`, attributes: { "aria-label": title } });
  const enlarge: HTMLButtonElement = h("button", {
    class: "quiet enlarge",
    title: "Larger or smaller",
    attributes: { type: "button", "aria-label": `Make ${title} larger or smaller`, "aria-pressed": "false" },
    onclick: () => {
      const large = element.classList.toggle("enlarged");
      enlarge.setAttribute("aria-pressed", String(large));
    },
  }, "⤢");
  const head = h("header", { class: "panel-head" }, h("h2", {}, title), note, enlarge);
  element.append(head, body);
  return { element, body, note, head };
}
