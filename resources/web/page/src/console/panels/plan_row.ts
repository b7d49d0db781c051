// One plan: its words, its tree, and the buttons that pause, resume, stop and save it.

import { h, Rows, setAttribute, setText, type Row } from "../../elements";
import type { ChangeKind, NodeState, PlanOrder, PlanView, Reply, TreeNode } from "../../protocol";
import { asWords } from "../../words";
import { percentDone, stateWords } from "./done_part";
import type { Complete } from "./instruction_box";
import { NodeTools } from "./node_tools";

export interface PlanActions {
  readonly order: (plan: string, order: PlanOrder) => void;
  readonly change: (plan: string, node: string, how: ChangeKind, text: string) => Promise<Reply>;
  readonly save: (plan: string) => void;
  readonly complete: Complete;
}

interface Line {
  readonly node: TreeNode;
  readonly depth: number;
  /** The plan is paused, so that it may be changed. */
  readonly open: boolean;
}

const MAY_PAUSE: ReadonlySet<NodeState> = new Set(["waiting", "running", "ready", "asking", "idle"]);

/** The row of the plan with this id. */
export function planRow(id: string, actions: PlanActions): Row<PlanView> {
  const text = h("span", { class: "plan-text" });
  const who = h("span", { class: "plan-who" });
  const button = (words: string, press: () => void): HTMLButtonElement =>
    h("button", { class: "small", attributes: { type: "button" }, onclick: press }, words);
  const pause = button("Pause", () => actions.order(id, "pause"));
  const resume = button("Resume", () => actions.order(id, "resume"));
  const stop = button("Stop", () => actions.order(id, "stop"));
  const save = button("Save as file", () => actions.save(id));
  save.title = "Download it as a UMRF graph";
  const nodes = h("ul", { class: "nodes", attributes: { role: "tree" } });
  const element = h("li", { class: "plan", attributes: { "data-plan": id } },
    h("div", { class: "plan-head" }, text, who),
    h("div", { class: "plan-tools" }, pause, resume, stop, save),
    nodes);
  const rows = new Rows<Line>(nodes, (line) => line.node.id, (line) => nodeRow(id, line.node.id, actions));
  return {
    element,
    update: (plan) => {
      const paused = plan.state === "paused";
      setAttribute(element, "data-state", plan.state);
      setText(text, `“${plan.text}”`);
      setText(who, plan.who);
      pause.hidden = !MAY_PAUSE.has(plan.state);
      resume.hidden = !paused;
      stop.hidden = !paused && pause.hidden;
      rows.show(flatten(plan.root, 0, paused));
    },
  };
}

function nodeRow(plan: string, id: string, actions: PlanActions): Row<Line> {
  const name = h("span", { class: "node-name" });
  const state = h("span", { class: "state" });
  const detail = h("span", { class: "node-detail" });
  const bar = h("progress", { class: "node-done", attributes: { max: "100", "aria-label": "How much is done" } });
  const tools = new NodeTools(id, (how, text) => actions.change(plan, id, how, text), actions.complete);
  const element = h("li", { class: "node", attributes: { role: "treeitem", "data-node": id } },
    h("span", { class: "dot" }), h("span", { class: "node-line" }, name, state), detail, bar, tools.element);
  return {
    element,
    update: ({ node, depth, open }) => {
      setAttribute(element, "data-state", node.state);
      setAttribute(element, "aria-level", String(depth + 1));
      element.style.setProperty("--depth", String(depth));
      setText(name, node.kind === "action" ? asWords(node.name) : node.name || node.kind);
      setText(state, stateWords(node));
      const percent = percentDone(node);
      bar.hidden = percent === null;
      bar.value = percent ?? 0;
      setText(detail, node.detail);
      tools.show(node, open, depth === 0);
    },
  };
}

function flatten(node: TreeNode, depth: number, open: boolean): Line[] {
  return [{ node, depth, open }, ...node.children.flatMap((child) => flatten(child, depth + 1, open))];
}
