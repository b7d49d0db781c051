// A button that counts while it is pressed. Each has its own pointer, so that two thumbs can hold two of them.

import { h } from "./elements";

export class HoldButton {
  readonly element: HTMLButtonElement;
  private pointer: number | null = null;
  private key = false;

  constructor(
    name: string,
    /** isCancelled: it was not let go, the browser has taken the pointer away. */
    private readonly onChange: (held: boolean, isCancelled: boolean) => void,
    ...children: readonly (Node | string)[]
  ) {
    this.element = h("button", { class: `hold ${name}`, attributes: { type: "button", "aria-pressed": "false" } }, ...children);
    const { element } = this;
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      if (this.pointer !== null) return;
      this.pointer = event.pointerId;
      // A finger that slides off still holds it; a pointer made by a script cannot be captured.
      try {
        element.setPointerCapture(event.pointerId);
      } catch {
        // It counts all the same.
      }
      this.tell();
    });
    const up = (event: PointerEvent): void => {
      if (event.pointerId !== this.pointer) return;
      this.pointer = null;
      this.tell(event.type !== "pointerup");
    };
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) element.addEventListener(name, up);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => {
      if (event.metaKey && this.key) { // while the command key is down, macOS never tells that this one was let go
        this.key = false;
        this.tell();
        return;
      }
      if (event.code !== "Enter" || event.repeat) return;
      this.key = true;
      this.tell();
    });
    element.addEventListener("keyup", (event) => {
      if (event.code !== "Enter") return;
      this.key = false;
      this.tell();
    });
    element.addEventListener("blur", () => {
      if (!this.key) return;
      this.key = false;
      this.tell();
    });
  }

  get isHeld(): boolean {
    return this.pointer !== null || this.key;
  }

  /** Whatever holds it counts no more: the page is hidden, a call came. */
  letGo(): void {
    if (!this.isHeld) return;
    this.pointer = null;
    this.key = false;
    this.tell();
  }

  private tell(isCancelled = false): void {
    this.element.setAttribute("aria-pressed", String(this.isHeld));
    this.onChange(this.isHeld, isCancelled);
  }
}
