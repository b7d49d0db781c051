// How much of an action is done, as it stands behind its state: "running 40 %".

import type { TreeNode } from "../../protocol";

/** In whole percent; null where that is not known. What is not quite done is never called done. */
export function percentDone({ fraction }: Pick<TreeNode, "fraction">): number | null {
  if (!(fraction >= 0)) return null;
  return fraction >= 1 ? 100 : Math.min(99, Math.round(100 * fraction));
}

/** The state, and how much is done if that is known. */
export function stateWords(node: Pick<TreeNode, "state" | "fraction">): string {
  const percent = percentDone(node);
  return percent === null ? node.state : `${node.state} ${percent} %`;
}
