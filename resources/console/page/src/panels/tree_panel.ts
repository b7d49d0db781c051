// The live action trees: each instruction with what it is made of, and what each part is doing.

import { h, Rows, setAttribute, setText, type Row } from "../elements";
import type { NodeState, PlanView, TreeNode } from "../protocol";
import { asWords } from "../words";
import { panel } from "./panel";

interface Line {
  readonly node: TreeNode;
  readonly depth: number;
}

const ENDED: ReadonlySet<NodeState> = new Set(["succeeded", "failed", "cancelled"]);

export class TreePanel {
  private readonly panel = panel("actions", "Actions");
  readonly element = this.panel.element;
  private readonly list = h("ol", { class: "plans" });
  private readonly empty = h("p", { class: "empty" }, "Nothing is being done.");
  private readonly rows = new Rows<PlanView>(this.list, (plan) => plan.id, planRow);

  constructor() {
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

function planRow(): Row<PlanView> {
  const text = h("span", { class: "plan-text" });
  const who = h("span", { class: "plan-who" });
  const nodes = h("ul", { class: "nodes", attributes: { role: "tree" } });
  const element = h("li", { class: "plan" }, h("div", { class: "plan-head" }, text, who), nodes);
  const rows = new Rows<Line>(nodes, (line) => line.node.id, nodeRow);
  return {
    element,
    update: (plan) => {
      setAttribute(element, "data-state", plan.state);
      setText(text, `“${plan.text}”`);
      setText(who, plan.who);
      rows.show(flatten(plan.root, 0));
    },
  };
}

function nodeRow(): Row<Line> {
  const name = h("span", { class: "node-name" });
  const state = h("span", { class: "state" });
  const detail = h("span", { class: "node-detail" });
  const element = h("li", { class: "node", attributes: { role: "treeitem" } },
    h("span", { class: "dot" }), h("span", { class: "node-line" }, name, state), detail);
  return {
    element,
    update: ({ node, depth }) => {
      setAttribute(element, "data-state", node.state);
      setAttribute(element, "aria-level", String(depth + 1));
      element.style.setProperty("--depth", String(depth));
      setText(name, node.kind === "action" ? asWords(node.name) : node.name || node.kind);
      setText(state, node.state);
      setText(detail, node.detail);
    },
  };
}

function flatten(node: TreeNode, depth: number): Line[] {
  return [{ node, depth }, ...node.children.flatMap((child) => flatten(child, depth + 1))];
}
