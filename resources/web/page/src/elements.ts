// Making and updating elements. Text always goes in as text, never as markup.

export interface Properties {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onclick?: () => void;
}

type Child = Node | string;

/** An HTML element with its children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, properties, children);
  return element;
}

/** An SVG element with its children. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, properties, children);
  return element;
}

function apply(element: HTMLElement | SVGElement, properties: Properties, children: readonly Child[]): void {
  if (properties.class) element.setAttribute("class", properties.class);
  if (properties.id) element.id = properties.id;
  if (properties.title) element.setAttribute("title", properties.title);
  for (const [name, value] of Object.entries(properties.attributes ?? {})) element.setAttribute(name, value);
  if (properties.onclick) element.addEventListener("click", properties.onclick);
  element.append(...children);
}

/** Change a text only if it differs, so that selections and screen readers are left in peace. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Change an attribute only if it differs. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** What a list shows of one item: its element, and how that follows the item's changes. */
export interface Row<T> {
  readonly element: Element;
  update(item: T): void;
}

/**
 * Keeps the children of an element in step with a list of items. Rows of items that stay are kept,
 * so that focus, scrolling and a finger on a button survive an update.
 */
export class Rows<T> {
  private readonly rows = new Map<string, Row<T>>();

  constructor(
    private readonly container: Element,
    private readonly key: (item: T) => string,
    private readonly create: (item: T) => Row<T>,
  ) {}

  show(items: readonly T[]): void {
    const wanted = new Set(items.map(this.key));
    for (const [key, row] of this.rows) {
      if (!wanted.has(key)) {
        row.element.remove();
        this.rows.delete(key);
      }
    }
    let before: Element | null = this.container.firstElementChild;
    for (const item of items) {
      const key = this.key(item);
      let row = this.rows.get(key);
      if (row === undefined) {
        row = this.create(item);
        this.rows.set(key, row);
      }
      row.update(item);
      if (row.element === before) before = before.nextElementSibling;
      else this.container.insertBefore(row.element, before);
    }
  }
}
