import { ObservableValue } from '../../base/observable';
import type { IconName } from '../display/icon-paths';

/** Event the person cannot see where they look. */
interface Notice {
  readonly title: string;
  readonly text?: string | undefined;
  readonly icon?: IconName | undefined;
  /** Time shown, ms; by default as long as its text needs. */
  readonly durationMs?: number | undefined;
  /** Usually undo; closes the notice. */
  readonly action?: { readonly label: string; readonly onPress: () => void } | undefined;
}

export type ShownNotice = Notice & { readonly id: number };

/** More would cover the page; the oldest is dropped. */
const SHOWN_MAX = 3;

/** Oldest first. */
export class Notices {
  readonly #shown = new ObservableValue<readonly ShownNotice[]>([]);
  readonly shown = this.#shown.get;
  readonly subscribe = this.#shown.subscribe;
  #next = 1;

  /** Replaces a notice with the same text. Returns a function that removes it. */
  add(notice: Notice): () => void {
    const id = this.#next++;
    this.#shown.set(
      [
        ...this.shown().filter(({ title, text }) => title !== notice.title || text !== notice.text),
        { ...notice, id },
      ].slice(-SHOWN_MAX),
    );
    return () => this.remove(id);
  }

  remove(id: number): void {
    const left = this.shown().filter((each) => each.id !== id);
    if (left.length < this.shown().length) this.#shown.set(left);
  }
}

export const notices = new Notices();

/** Returns a function that removes it early. */
export function notify(notice: Notice): () => void {
  return notices.add(notice);
}
