// When the page is left, hidden or covered: whatever was held counts no more.

export interface Leaving {
  /** The person looks elsewhere, for this reason. */
  away(reason: string): void;
  /** Whether the page is seen may have changed; `gone`: it is not, whatever the browser says. */
  seen(gone: boolean): void;
}

export function whenLeft({ away, seen }: Leaving): void {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) away("the page was hidden");
    seen(false);
  });
  addEventListener("blur", () => away("another window came to the front"));
  addEventListener("pagehide", () => {
    away("the page was left");
    seen(true);
  });
  document.addEventListener("freeze", () => away("the phone put the page to sleep"));
}
