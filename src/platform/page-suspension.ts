/**
 * State of a page that the browser puts away whole (back/forward cache) instead of ending it. WebKit keeps its
 * transactions in flight, and every later page of the origin waits for them; a lock or a socket of such a page serves no
 * one. So it releases everything as it is put away, begins nothing any more, and loads again when it returns.
 */
export class PageSuspension {
  readonly #releases = new Set<() => void>();
  #isSuspended = false;

  /** True from the moment that the page is put away; it never works again. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /**
   * Calls `release` once when the page is put away, at once if it is already. It must be synchronous: no task of the
   * page runs afterwards.
   * @returns idempotent function that removes it
   */
  onSuspend(release: () => void): () => void {
    if (this.#isSuspended) {
      release();
      return () => undefined;
    }
    // The same function may be given twice.
    const call = (): void => release();
    this.#releases.add(call);
    return () => void this.#releases.delete(call);
  }

  /**
   * Follows the events of a page.
   * @param reload loads the page again
   */
  follow(page: Pick<EventTarget, 'addEventListener'>, reload: () => void): void {
    page.addEventListener('pagehide', (event) => {
      if (isPersisted(event)) this.#suspend();
    });
    page.addEventListener('pageshow', (event) => {
      if (isPersisted(event)) reload();
    });
  }

  #suspend(): void {
    if (this.#isSuspended) return;
    this.#isSuspended = true;
    for (const release of [...this.#releases]) release();
    this.#releases.clear();
  }
}

function isPersisted(event: Event): boolean {
  return (event as Partial<PageTransitionEvent>).persisted === true;
}

/** Never settles: work of a page that was put away neither succeeds nor fails, so that no screen reports a failure. */
export function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => undefined);
}
