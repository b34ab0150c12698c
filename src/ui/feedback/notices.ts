import type { IconName } from '../display/icon-paths';

/** Something that just happened and cannot be seen where the person looks. */
export interface Notice {
  readonly title: string;
  readonly text?: string | undefined;
  readonly icon?: IconName | undefined;
  /** Mostly: take it back. The notice goes when it is pressed. */
  readonly action?: { readonly label: string; readonly onPress: () => void } | undefined;
}

export type ShownNotice = Notice & { readonly id: number };

/** More than these at once would cover the page; the oldest goes. */
const SHOWN_MAX = 3;

/** The notices that stand, oldest first. */
export class Notices {
  #shown: readonly ShownNotice[] = [];
  #next = 1;
  readonly #listeners = new Set<() => void>();

  /** Shows it; the same words again take the old one's place. Gives the way to take it away. */
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

/** The page's own. */
export const notices = new Notices();

/** Tells the person at the lower edge, with a way back where there is one. Gives the way to take it away early. */
export function notify(notice: Notice): () => void {
  return notices.add(notice);
}
