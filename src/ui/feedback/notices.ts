import type { IconName } from '../display/icon-paths';

/** Event the person cannot see where they look. */
export interface Notice {
  readonly title: string;
  readonly text?: string | undefined;
  readonly icon?: IconName | undefined;
  /** Usually undo; closes the notice. */
  readonly action?: { readonly label: string; readonly onPress: () => void } | undefined;
}

export type ShownNotice = Notice & { readonly id: number };

/** More would cover the page; the oldest is dropped. */
const SHOWN_MAX = 3;

/** Oldest first. */
export class Notices {
  #shown: readonly ShownNotice[] = [];
  #next = 1;
  readonly #listeners = new Set<() => void>();

  /** Replaces a notice with the same text. Returns a function that removes it. */
  add(notice: Notice): () => void {
    const id = this.#next++;
    this.#set(
      [
        ...this.#shown.filter(({ title, text }) => title !== notice.title || text !== notice.text),
        { ...notice, id },
      ].slice(-SHOWN_MAX),
    );
    return () => this.remove(id);
  }

  remove(id: number): void {
    if (this.#shown.some((each) => each.id === id)) this.#set(this.#shown.filter((each) => each.id !== id));
  }

  readonly shown = (): readonly ShownNotice[] => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(shown: readonly ShownNotice[]): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }
}

export const notices = new Notices();

/** Returns a function that removes it early. */
export function notify(notice: Notice): () => void {
  return notices.add(notice);
}
