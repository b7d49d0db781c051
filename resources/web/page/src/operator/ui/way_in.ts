// The way back in for a page without a link: a button that tries again, or how this device gets in where that is no use.

import { h, setText } from "../../elements";
import type { LinkState } from "../link/link";
import type { DeviceKind } from "../link/protocol";
import { againWords, needsCode } from "./state";

const OPEN_IT: Readonly<Record<DeviceKind, string>> = {
  phone: "Point this device's camera at the code, and open the link that it finds.",
  headset: "Type the address behind “or open it on this machine” here, or send yourself the link.",
  desk: "Open the link below the code in this browser.",
};

export class WayIn {
  readonly again: HTMLButtonElement;
  readonly steps: HTMLElement;

  constructor(kind: DeviceKind, onAgain: () => void) {
    this.again = h("button", { class: "again", attributes: { type: "button" }, onclick: onAgain }, "Try now");
    this.steps = h("section", { class: "way-in" }, h("p", {}, "To get in:"), h("ol", {},
      h("li", {}, "Press “Phone” on the console, and “New code” there."),
      h("li", {}, OPEN_IT[kind])));
    this.again.hidden = this.steps.hidden = true;
  }

  show(link: LinkState): void {
    const isOut = needsCode(link);
    setText(this.again, againWords(link));
    this.again.hidden = isOut || (link.kind !== "lost" && link.kind !== "refused");
    this.steps.hidden = !isOut;
  }
}
