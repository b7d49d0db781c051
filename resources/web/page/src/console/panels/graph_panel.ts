// The live resource graph: boxes are resources, arrows what they need, dashed boxes who asked first.

import { h, Rows, setAttribute, setText, svg, type Row } from "../../elements";
import type { Graph, GraphResource } from "../../protocol";
import { asWords, span } from "../../words";
import { layOut, NODE_HEIGHT, NODE_WIDTH, type PlacedEdge, type PlacedNode } from "./graph_layout";
import { panel } from "./panel";

const TEXT_WIDTH = NODE_WIDTH - 26;
/** Smaller than this it could not be read: then it scrolls. */
const LEAST_SCALE = 0.72;
const RETRIES: ReadonlySet<string> = new Set(["unsteady", "retrying", "needs a human", "failed", "degraded"]);

export class GraphPanel {
  private readonly panel = panel("graph", "Resources");
  readonly element = this.panel.element;
  private readonly edges = svg("g", { class: "edges" });
  private readonly nodes = svg("g", { class: "boxes" });
  private readonly drawing = svg("svg", { class: "graph-drawing", attributes: { role: "group", "aria-label": "Resource graph" } });
  private readonly scroller = h("div", { class: "graph-scroller" });
  private readonly empty = h("p", { class: "empty" }, "No resource is in use.");
  private readonly detail = h("p", { class: "graph-detail" });
  private readonly retry: HTMLButtonElement;
  private readonly edgeRows = new Rows<PlacedEdge>(this.edges, (edge) => edge.id, edgeRow);
  private readonly nodeRows: Rows<PlacedNode>;
  private readonly legend = h("div", { class: "legend", attributes: { "aria-label": "Registrars" } });
  private readonly legendRows = new Rows<string>(this.legend, (registrar) => registrar, legendRow);
  private graph: Graph = { type: "graph", resources: [], leases: [] };
  private selected = "";
  private size = { width: 0, height: 0 };

  constructor(onRetry: (resource: string) => void) {
    this.nodeRows = new Rows<PlacedNode>(this.nodes, (node) => node.id, () => this.nodeRow());
    this.panel.note.after(this.legend);
    this.drawing.append(arrowHead(), this.edges, this.nodes);
    this.scroller.append(this.drawing);
    this.retry = h("button", { class: "small", attributes: { type: "button" }, onclick: () => onRetry(this.selected) }, "Retry now");
    this.retry.hidden = true;
    this.panel.body.append(this.empty, this.scroller, h("div", { class: "graph-foot" }, this.detail, this.retry));
    new ResizeObserver(() => this.fit()).observe(this.scroller);
  }

  show(graph: Graph): void {
    this.graph = graph;
    const layout = layOut(graph);
    this.size = layout;
    this.empty.hidden = layout.nodes.length > 0;
    this.scroller.hidden = layout.nodes.length === 0;
    // Before the boxes, so that colours go by name and not by who happened to be first.
    this.legendRows.show([...new Set(graph.resources.map((resource) => resource.registrar))].sort());
    this.edgeRows.show(layout.edges);
    this.nodeRows.show(layout.nodes);
    const count = graph.resources.length;
    setText(this.panel.note, count === 0 ? "" : count === 1 ? "1 in use" : `${count} in use`);
    this.fit();
    this.describe();
  }

  private fit(): void {
    const { width, height } = this.size;
    if (width === 0) return;
    const whole = Math.min(this.scroller.clientWidth / width, this.scroller.clientHeight / height);
    const scale = Math.max(LEAST_SCALE, Math.min(1, whole));
    setAttribute(this.drawing, "viewBox", `0 0 ${width} ${height}`);
    setAttribute(this.drawing, "width", String(Math.floor(width * scale)));
    setAttribute(this.drawing, "height", String(Math.floor(height * scale)));
  }

  private select(id: string): void {
    this.selected = this.selected === id ? "" : id;
    for (const box of this.nodes.children) box.classList.toggle("selected", box.getAttribute("data-id") === this.selected);
    this.describe();
  }

  private describe(): void {
    const resource = this.graph.resources.find((each) => each.id === this.selected);
    this.retry.hidden = resource === undefined || !RETRIES.has(resource.state);
    setText(this.detail, resource === undefined ? "" : this.inWords(resource));
  }

  private inWords(resource: GraphResource): string {
    const clients = this.graph.leases
      .filter((lease) => lease.resource === resource.id)
      .map((lease) => `${asWords(lease.who)}${lease.exclusive ? " (exclusive)" : ""}${lease.waiting ? " (waits)" : ""}`);
    const parts = [
      `${resource.id} ${resource.request}: ${resource.state}`,
      resource.detail,
      resource.next_attempt_in_s === null ? "" : `attempt ${resource.tries + 1} in ${span(resource.next_attempt_in_s)}`,
      clients.length === 0 ? "" : `used by ${clients.join(", ")}`,
    ];
    return parts.filter((part) => part !== "").join(" · ");
  }

  private nodeRow(): Row<PlacedNode> {
    const box = svg("rect", { attributes: { width: String(NODE_WIDTH), height: String(NODE_HEIGHT), rx: "6" } });
    const stripe = svg("rect", { class: "stripe", attributes: { width: "5", height: String(NODE_HEIGHT - 12), x: "6", y: "6", rx: "2.5" } });
    const name = svg("text", { class: "box-name", attributes: { x: "19", y: "17" } });
    const below = svg("text", { class: "box-below", attributes: { x: "19", y: "31" } });
    const title = svg("title");
    const element = svg("g", { class: "box", attributes: { tabindex: "0", role: "button" } }, title, box, stripe, name, below);
    let id = "";
    element.addEventListener("click", () => this.select(id));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.select(id);
      }
    });
    return {
      element,
      update: (node) => {
        id = node.id;
        const { resource } = node;
        setAttribute(element, "data-id", node.id);
        setAttribute(element, "data-state", resource?.state ?? "client");
        setAttribute(element, "transform", `translate(${node.x} ${node.y})`);
        const label = asWords(resource?.label ?? node.who);
        const [type = "", ...rest] = label.split(" ");
        // In front what tells it from others; what it is a second time stands below.
        const own = resource === null ? label : rest.join(" ") || type;
        setText(name, shortened(own, NAME_FONT));
        setText(below, resource === null ? "asks" : shortened(own === type ? resource.state : `${type} · ${resource.state}`, BELOW_FONT));
        if (resource !== null) element.style.setProperty("--tint", tint(resource.registrar));
        setText(title, resource === null ? label : `${asWords(resource.registrar)}: ${resource.request}\n${resource.state} ${resource.detail}`);
        setAttribute(element, "aria-label", resource === null ? `${label} asks` : `${label}, ${resource.state}, of ${asWords(resource.registrar)}`);
      },
    };
  }
}

function edgeRow(): Row<PlacedEdge> {
  const element = svg("path", { attributes: { "marker-end": "url(#arrow)" } });
  return {
    element,
    update: ({ path, lease }) => {
      setAttribute(element, "d", path);
      setAttribute(element, "class", lease === null ? "edge" : lease.waiting ? "edge lease waiting" : "edge lease");
    },
  };
}

function legendRow(registrar: string): Row<string> {
  const element = h("span", { class: "legend-entry" }, asWords(registrar).replace(/ manager$/, ""));
  element.style.setProperty("--tint", tint(registrar));
  return { element, update: () => undefined };
}

const HUES = [190, 165, 262, 215, 300, 240]; // none that is a state's colour
const hueOf = new Map<string, number>();

/** A dark colour of a registrar's own, the same as long as the page is open. */
function tint(registrar: string): string {
  let hue = hueOf.get(registrar);
  if (hue === undefined) {
    hue = HUES[hueOf.size % HUES.length]!;
    hueOf.set(registrar, hue);
  }
  return `hsl(${hue} 36% 18%)`;
}

function arrowHead(): SVGElement {
  const head = svg("path", { attributes: { d: "M0 0L8 4L0 8z" } });
  const marker = svg("marker", {
    id: "arrow",
    attributes: { viewBox: "0 0 8 8", refX: "4", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" },
  }, head);
  return svg("defs", {}, marker);
}

const FAMILY = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'; // as in style.css
const NAME_FONT = `550 12.5px ${FAMILY}`;
const BELOW_FONT = `11px ${FAMILY}`;
const ruler = document.createElement("canvas").getContext("2d");
const fitting = new Map<string, string>();

/** The text, cut so that it fits into a box. */
function shortened(text: string, font: string): string {
  const key = `${font} ${text}`;
  let fits = fitting.get(key);
  if (fits === undefined) {
    fits = text;
    if (ruler !== null) ruler.font = font;
    // Cut in the middle: what kind it is stands in front, which one it is at the end.
    for (let length = text.length - 2; length > 6 && width(fits) > TEXT_WIDTH; length--) {
      const head = Math.ceil(length / 2);
      fits = `${text.slice(0, head).trimEnd()}…${text.slice(text.length - (length - head)).trimStart()}`;
    }
    if (fitting.size > 2000) fitting.clear();
    fitting.set(key, fits);
  }
  return fits;
}

function width(text: string): number {
  return ruler?.measureText(text).width ?? 7 * text.length;
}
