// Where the boxes of the resource graph go: layers from who asks (left) to what is needed (right).
// Pure and deterministic: the same graph is laid out the same way.

import type { Graph, GraphLease, GraphResource } from "../../protocol";

export const NODE_WIDTH = 166;
export const NODE_HEIGHT = 40;
const GAP_X = 32;
const GAP_Y = 12;
const MARGIN = 10;
const SWEEPS = 6;

export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  /** Of a box that is a resource. */
  readonly resource: GraphResource | null;
  /** Of a box that is somebody who asks; its name is `id` without "who:". */
  readonly who: string;
}

export interface PlacedEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly lease: GraphLease | null;
}

export interface Layout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

interface Link {
  readonly from: string;
  readonly to: string;
  readonly lease: GraphLease | null;
}

export function layOut(graph: Graph): Layout {
  const resources = new Map(graph.resources.map((resource) => [resource.id, resource]));
  const links: Link[] = [];
  for (const resource of graph.resources) {
    for (const needed of resource.depends_on) {
      if (resources.has(needed)) links.push({ from: resource.id, to: needed, lease: null });
    }
  }
  const people = new Set<string>();
  for (const lease of graph.leases) {
    if (!resources.has(lease.resource)) continue;
    people.add(`who:${lease.who}`);
    links.push({ from: `who:${lease.who}`, to: lease.resource, lease });
  }
  const ids = [...people].sort().concat([...resources.keys()].sort(naturally));
  const layers = order(layersOf(ids, links), links);

  const tallest = Math.max(0, ...layers.map((layer) => layer.length));
  const height = 2 * MARGIN + Math.max(0, tallest * (NODE_HEIGHT + GAP_Y) - GAP_Y);
  const width = 2 * MARGIN + Math.max(0, layers.length * (NODE_WIDTH + GAP_X) - GAP_X);
  const places = new Map<string, PlacedNode>();
  layers.forEach((layer, column) => {
    const used = layer.length * (NODE_HEIGHT + GAP_Y) - GAP_Y;
    layer.forEach((id, row) => {
      places.set(id, {
        id,
        x: MARGIN + column * (NODE_WIDTH + GAP_X),
        y: (height - used) / 2 + row * (NODE_HEIGHT + GAP_Y),
        resource: resources.get(id) ?? null,
        who: id.startsWith("who:") ? id.slice(4) : "",
      });
    });
  });
  const edges = links.map(({ from, to, lease }) => ({
    id: lease === null ? `${from}>${to}` : `lease:${lease.id}`,
    from,
    to,
    lease,
    path: curve(places.get(from)!, places.get(to)!),
  }));
  return { nodes: [...places.values()], edges, width, height };
}

/** Each node one layer to the right of the last one that needs it. */
function layersOf(ids: readonly string[], links: readonly Link[]): string[][] {
  const neededBy = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const link of links) neededBy.get(link.to)?.push(link.from);
  const depth = new Map<string, number>();
  const visit = (id: string, path: ReadonlySet<string>): number => {
    const known = depth.get(id);
    if (known !== undefined) return known;
    if (path.has(id)) return 0; // a circle, which the registrar refuses; drawn all the same
    const further = new Set(path).add(id);
    // Whoever asks stands in the first layer, so a resource is in the second at least.
    const least = id.startsWith("who:") ? 0 : 1;
    const found = Math.max(least, ...neededBy.get(id)!.map((by) => visit(by, further) + 1));
    depth.set(id, found);
    return found;
  };
  const layers: string[][] = [];
  for (const id of ids) (layers[visit(id, new Set())] ??= []).push(id);
  return Array.from(layers, (layer) => layer ?? []).filter((layer) => layer.length > 0);
}

/** Fewer crossings: each node near the middle of its neighbours, swept to and fro. */
function order(layers: string[][], links: readonly Link[]): string[][] {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of links) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const at = new Map<string, number>();
  const place = (layer: readonly string[]): void =>
    layer.forEach((id, row) => at.set(id, row - (layer.length - 1) / 2));
  layers.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const turn = sweep % 2 === 0 ? [...layers.keys()] : [...layers.keys()].reverse();
    for (const index of turn) {
      const layer = layers[index]!;
      const wish = new Map(
        layer.map((id) => {
          const rows = (neighbours.get(id) ?? []).map((other) => at.get(other) ?? 0);
          return [id, rows.length === 0 ? at.get(id)! : rows.reduce((sum, row) => sum + row, 0) / rows.length];
        }),
      );
      // Array.sort is stable: what wishes the same keeps its order.
      layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
      place(layer);
    }
  }
  return layers;
}

function curve(from: PlacedNode, to: PlacedNode): string {
  const [x, y] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2];
  const [u, v] = [to.x - 5, to.y + NODE_HEIGHT / 2];
  const bend = Math.max(24, (u - x) / 2);
  return `M${x} ${y} C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`;
}

function naturally(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
