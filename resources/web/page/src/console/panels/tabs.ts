// On a narrow screen one panel is shown at a time; this row of buttons chooses it. Hidden on wide ones.

import { h } from "../../elements";

/** Buttons for `panels`, the first of which is shown first. */
export function tabs(panels: readonly HTMLElement[]): HTMLElement {
  const buttons = panels.map((panel) =>
    h("button", { class: "tab", attributes: { type: "button", role: "tab", "aria-controls": panel.id },
      onclick: () => choose(panel) }, panel.getAttribute("aria-label") ?? ""),
  );
  const choose = (chosen: HTMLElement): void =>
    panels.forEach((panel, index) => {
      panel.classList.toggle("chosen", panel === chosen);
      buttons[index]!.setAttribute("aria-selected", String(panel === chosen));
    });
  choose(panels[0]!);
  return h("div", { class: "tabs", attributes: { role: "tablist", "aria-label": "Panels" } }, ...buttons);
}
