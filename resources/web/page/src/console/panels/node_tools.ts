// What may be done with one step of a paused plan: have another one before, after or inside of it, said in
// words as always; and, as long as it has not begun, put another one in its place, or take it out.

import { h, setText } from "../../elements";
import type { ChangeKind, Reply, TreeNode } from "../../protocol";
import { InstructionBox, type Complete } from "./instruction_box";

const WORDS: Readonly<Record<ChangeKind, string>> = {
  before: "+ before",
  after: "+ after",
  into: "+ into",
  replace: "Replace",
  remove: "Remove",
};
const DOES: Readonly<Record<ChangeKind, string>> = {
  before: "Insert a step before this one",
  after: "Insert a step after this one",
  into: "Insert one more step here",
  replace: "Do something else instead",
  remove: "Do not do this",
};

export class NodeTools {
  readonly element = h("div", { class: "node-tools" });
  private readonly buttons: ReadonlyMap<ChangeKind, HTMLButtonElement>;
  private readonly form: HTMLFormElement;
  private readonly box: InstructionBox;
  private readonly words = h("span", { class: "change-words" });
  private readonly refusal = h("p", { class: "change-refusal", attributes: { role: "alert" } });
  private how: ChangeKind = "after";
  private opened = 0; // how often: an answer to what was asked before it leaves the form open

  constructor(
    node: string,
    private readonly onChange: (how: ChangeKind, text: string) => Promise<Reply>,
    complete: Complete,
  ) {
    this.buttons = new Map((Object.keys(WORDS) as ChangeKind[]).map((how) => [how, this.button(how)]));
    this.box = new InstructionBox({
      id: `change-${node}`,
      label: "The step, in words",
      placeholder: "show the camera",
      complete,
      onSubmit: (text) => void this.change(this.how, text),
    });
    const cancel = h("button", { class: "small", attributes: { type: "button" }, onclick: () => this.close() }, "Leave it");
    const done = h("button", { class: "small send", attributes: { type: "submit" } }, "Do it");
    this.form = h("form", { class: "change" }, this.words, this.box.element, done, cancel);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.box.submit();
    });
    this.element.append(h("div", { class: "change-buttons" }, ...this.buttons.values()), this.form, this.refusal);
    this.close();
  }

  /** Offer what is possible now; `isWhole`: this node is the whole plan. */
  show(node: TreeNode, open: boolean, isWhole: boolean): void {
    this.element.hidden = !open;
    if (!open) {
      this.close();
      return;
    }
    const untouched = node.state === "idle";
    const over = ["succeeded", "failed", "cancelled", "skipped"].includes(node.state);
    const takesMore = (node.kind === "sequence" || node.kind === "parallel") && !over;
    const offered: Readonly<Record<ChangeKind, boolean>> = {
      before: untouched && !isWhole,
      after: !takesMore && !isWhole || node.children.length === 0,
      into: takesMore,
      replace: untouched && !isWhole,
      remove: untouched && !isWhole,
    };
    for (const [how, button] of this.buttons) button.hidden = !offered[how];
  }

  private button(how: ChangeKind): HTMLButtonElement {
    return h("button", { class: "small change-button", title: DOES[how], attributes: { type: "button", "aria-label": DOES[how] },
      onclick: () => (how === "remove" ? void this.change(how, "") : this.open(how)) }, WORDS[how]);
  }

  private open(how: ChangeKind): void {
    this.how = how;
    this.opened += 1;
    setText(this.words, `${DOES[how]}:`);
    setText(this.refusal, "");
    this.form.hidden = false;
    this.box.value = "";
    this.box.input.focus();
  }

  private close(): void {
    this.form.hidden = true;
    this.box.close();
    setText(this.refusal, "");
  }

  private async change(how: ChangeKind, text: string): Promise<void> {
    const asked = this.opened;
    const reply = await this.onChange(how, text);
    if (!reply.ok) setText(this.refusal, reply.text);
    else if (this.opened === asked) this.close();
  }
}
