// What happened, as lines: the last few over the picture, all of them in the drawer.

import { h } from "../../elements";

const KEPT = 200;
const SEEN = 3;

export class Notes {
  readonly latest = h("ol", { class: "latest", attributes: { role: "log", "aria-live": "polite" } });
  readonly all = h("ol", { class: "log" });

  add(kind: string, text: string): void {
    if (text === "") return;
    for (const [list, most] of [[this.latest, SEEN], [this.all, KEPT]] as const) {
      list.append(h("li", { class: `note ${kind}` }, text));
      while (list.childElementCount > most) list.firstElementChild!.remove();
    }
    this.all.scrollTop = this.all.scrollHeight;
  }
}
