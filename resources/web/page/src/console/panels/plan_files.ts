// Plans as files: one is chosen and run, with all that is wrong with it listed at once; one is kept.

import { h } from "../../elements";
import { MAX_FILE_CHARS, type PlanFile, type Reply } from "../../protocol";

export class PlanFiles {
  readonly button: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly problems = h("ul", { class: "problems" });
  private readonly heading = h("h2", { id: "file-title" });
  private readonly dialog: HTMLDialogElement;

  constructor(private readonly run: (content: string) => Promise<Reply>) {
    this.input = h("input", {
      attributes: { type: "file", accept: ".json,application/json", "aria-label": "Plan file", tabindex: "-1" },
    });
    this.input.hidden = true;
    this.input.addEventListener("change", () => void this.chosen());
    const open = h("button", { class: "small", title: "Run a plan from a UMRF or plan file (JSON)",
      attributes: { type: "button" }, onclick: () => this.input.click() }, "Run a file…");
    this.button = h("span", { class: "run-file" }, open, this.input);
    this.dialog = h("dialog", { class: "dialog", attributes: { "aria-labelledby": "file-title" } },
      this.heading, this.problems,
      h("div", { class: "dialog-buttons" },
        h("button", { attributes: { type: "button" }, onclick: () => this.dialog.close() }, "Close")));
    document.body.append(this.dialog);
  }

  /** Have the browser keep a file. */
  keep(file: PlanFile): void {
    const address = URL.createObjectURL(new Blob([file.content], { type: "application/json" }));
    h("a", { attributes: { href: address, download: file.name } }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  private async chosen(): Promise<void> {
    const file = this.input.files?.[0];
    if (file === undefined) return;
    const reply = await this.send(file);
    this.input.value = ""; // so that the same file, corrected, may be chosen again
    if (reply.ok) return;
    this.heading.textContent = `${file.name} was not run`;
    this.problems.replaceChildren(...reply.text.split("\n").map((line) => h("li", {}, line)));
    this.dialog.showModal();
  }

  private async send(file: File): Promise<Pick<Reply, "ok" | "text">> {
    if (file.size > 20 * MAX_FILE_CHARS) return tooLong(file.size);
    try {
      const content = withoutSpaces(await file.text());
      return content.length <= MAX_FILE_CHARS ? await this.run(content) : tooLong(content.length);
    } catch (error) {
      return { ok: false, text: `the file cannot be read: ${String(error)}` };
    }
  }
}

/** A long file as short as it can be written; one that is no JSON is for the server to explain. */
function withoutSpaces(text: string): string {
  if (text.length <= MAX_FILE_CHARS) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function tooLong(characters: number): Pick<Reply, "ok" | "text"> {
  return { ok: false, text: `the file is too long: ${characters} characters; ${MAX_FILE_CHARS} are the most` };
}
