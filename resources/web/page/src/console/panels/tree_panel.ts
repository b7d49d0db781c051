// The live action trees: each instruction with what it is made of, what each part is doing, and what may be done
// with it. Plan files go in and out here as well.

import { h, Rows, setText } from "../../elements";
import type { NodeState, PlanView } from "../../protocol";
import { panel } from "./panel";
import { planRow, type PlanActions } from "./plan_row";

const ENDED: ReadonlySet<NodeState> = new Set(["succeeded", "failed", "cancelled"]);

export class TreePanel {
  private readonly panel = panel("actions", "Actions");
  readonly element = this.panel.element;
  private readonly list = h("ol", { class: "plans" });
  private readonly empty = h("p", { class: "empty" }, "Nothing is being done.");
  private readonly rows: Rows<PlanView>;

  constructor(actions: PlanActions, runFile: HTMLElement) {
    this.rows = new Rows<PlanView>(this.list, (plan) => plan.id, (plan) => planRow(plan.id, actions));
    this.panel.note.after(runFile);
    this.panel.body.append(this.empty, this.list);
  }

  show(plans: readonly PlanView[]): void {
    const newestFirst = [...plans].reverse();
    this.empty.hidden = plans.length > 0;
    this.rows.show([...newestFirst.filter((plan) => !ENDED.has(plan.state)), ...newestFirst.filter((plan) => ENDED.has(plan.state))]);
    const live = plans.filter((plan) => !ENDED.has(plan.state)).length;
    setText(this.panel.note, live === 0 ? "" : live === 1 ? "1 running" : `${live} running`);
  }
}
