import type { IconName } from './icon-paths';

/** Something that just happened and cannot be seen where the person looks. */
export interface Notice {
  readonly title: string;
  readonly words?: string | undefined;
  readonly icon?: IconName | undefined;
  /** Mostly: take it back. The notice goes when it is pressed. */
  readonly action?: { readonly word: string; readonly onPress: () => void } | undefined;
}

export type ShownNotice = Notice & { readonly id: number };

/** More than these at once would cover the page; the oldest goes. */
const AT_ONCE = 3;

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
        ...this.#shown.filter(({ title, words }) => title !== notice.title || words !== notice.words),
        { ...notice, id },
      ].slice(-AT_ONCE),
    );
    return () => this.remove(id);
  }

  remove(id: number): void {
    if (this.#shown.some((each) => each.id === id)) this.#set(this.#shown.filter((each) => each.id !== id));
  }

  readonly shown = (): readonly ShownNotice[] => this.#shown;

  readonly subscribe = (told: () => void): (() => void) => {
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  };

  #set(shown: readonly ShownNotice[]): void {
    this.#shown = shown;
    for (const told of this.#listeners) told();
  }
}

/** The page's own. */
export const notices = new Notices();

/** Tells the person at the lower edge, with a way back where there is one. Gives the way to take it away early. */
export function notify(notice: Notice): () => void {
  return notices.add(notice);
}
