// What this page has said and nothing has come back of: lost on its way, or with the link. Pure.

/** Longer than anything said may take to begin (`MEANT_S` in resources/web/page_messages.py): what is called unheard begins no more [ms]. */
export const ANSWER_WITHIN_MS = 5000;

interface Open {
  readonly text: string;
  readonly at: number;
}

export class Unanswered {
  private readonly open = new Map<string, Open>();

  /** Something was sent. id: comes back with its answer. */
  say(id: string, text: string, now: number): void {
    this.open.set(id, { text, at: now });
  }

  /** An answer has come. */
  settle(id: string): void {
    this.open.delete(id);
  }

  /** What is to be said of that which has waited too long; once. */
  look(now: number): readonly string[] {
    return this.take((each) => now - each.at > ANSWER_WITHIN_MS).map((text) => `“${text}” was not heard: nothing came back. Say it again.`);
  }

  /** The link is gone: the same of everything. What was about to begin may do so, for a moment. */
  lose(): readonly string[] {
    return this.take(() => true).map((text) => `The link was lost before “${text}” was answered: if nothing comes of it, say it again.`);
  }

  private take(isMeant: (each: Open) => boolean): readonly string[] {
    const taken = [...this.open].filter(([, each]) => isMeant(each));
    for (const [id] of taken) this.open.delete(id);
    return taken.map(([, { text }]) => text);
  }
}
