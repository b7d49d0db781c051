// The operator's page begins here.

import "./operator.css";
import { h } from "../elements";
import { Operator } from "./operator";
import { findOut } from "./ui/device";

const found = await findOut();
try {
  new Operator(found, document.body);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  document.body.replaceChildren(h("p", { class: "broken" }, `This browser cannot draw in three dimensions (${why}). Switch hardware acceleration on, or use another browser.`));
}
