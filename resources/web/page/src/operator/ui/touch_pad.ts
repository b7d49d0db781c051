// For phones that do not know where they are: a pad for one finger (across, up and down) and a strip (nearer, farther).

import { h } from "../../elements";

export class TouchPad {
  readonly element: HTMLElement;

  /** onDrag: right, up, away [CSS px] since the last call. */
  constructor(onDrag: (right: number, up: number, away: number) => void) {
    const pad = h("div", { class: "pad", attributes: { "aria-label": "Move across and up" } }, h("span", {}, "slide: left, right, up, down"));
    const strip = h("div", { class: "strip", attributes: { "aria-label": "Nearer and farther" } }, h("span", {}, "↑ away\nnear ↓"));
    follow(pad, (dx, dy) => onDrag(dx, -dy, 0));
    follow(strip, (_, dy) => onDrag(0, 0, -dy));
    this.element = h("div", { class: "pads" }, pad, strip);
    this.element.hidden = true;
  }
}

function follow(element: HTMLElement, onMove: (dx: number, dy: number) => void): void {
  let last: { readonly id: number; readonly x: number; readonly y: number } | null = null;
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    last ??= { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  element.addEventListener("pointermove", (event) => {
    if (last === null || last.id !== event.pointerId) return;
    onMove(event.clientX - last.x, event.clientY - last.y);
    last = { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) {
    element.addEventListener(name, (event) => {
      if (last?.id === event.pointerId) last = null;
    });
  }
}
