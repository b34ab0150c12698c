import type { ImageRepository, Observable } from '../../data/repositories';
import { ReefError, type WireError } from '../../domain/errors';
import type { SurveyId } from '../../domain/ids';
import { LIMITS } from '../../domain/limits';

/** A file that a person gave and that is not a saved photograph yet. One that is saved leaves this list. */
export interface AddingItem {
  readonly key: number;
  readonly surveyId: SurveyId;
  readonly name: string;
  readonly state: { readonly status: 'waiting' } | { readonly status: 'reading' } | { readonly status: 'refused'; readonly error: WireError };
}

/** How the photographs given to one survey came along since the page was opened. */
export interface AddingFacts {
  readonly items: readonly AddingItem[];
  /** Saved, known and refused ones per survey. */
  readonly done: ReadonlyMap<SurveyId, { readonly saved: number; readonly known: number }>;
}

/**
 * The files being added, for all surveys: it goes on while the person looks at other pages. Two at a time (the worker
 * decodes one while the store writes the other).
 */
export interface AddingQueue extends Observable<AddingFacts> {
  /** Puts files into the queue, in their order. */
  readonly add: (files: readonly File[], surveyId: SurveyId) => void;
  /** Takes refused files off the list. */
  readonly dismiss: (surveyId: SurveyId) => void;
}

const queues = new WeakMap<ImageRepository, AddingQueue>();

/** The one queue in front of these photographs. */
export function addingOf(images: ImageRepository): AddingQueue {
  const known = queues.get(images);
  if (known !== undefined) return known;
  const made = makeAddingQueue(images);
  queues.set(images, made);
  return made;
}

/** Makes a queue; `addingOf` is what screens use. */
export function makeAddingQueue(images: Pick<ImageRepository, 'addPhotograph'>): AddingQueue {
  const files = new Map<number, File>();
  const listeners = new Set<() => void>();
  let facts: AddingFacts = { items: [], done: new Map() };
  let nextKey = 1;
  let running = 0;

  function set(next: AddingFacts) {
    facts = next;
    for (const listener of listeners) listener();
  }
  function setState(key: number, state: AddingItem['state']) {
    set({ ...facts, items: facts.items.map((item) => (item.key === key ? { ...item, state } : item)) });
  }
  function finish(item: AddingItem, outcome: 'saved' | 'known') {
    const before = facts.done.get(item.surveyId) ?? { saved: 0, known: 0 };
    const done = new Map(facts.done).set(item.surveyId, { ...before, [outcome]: before[outcome] + 1 });
    set({ items: facts.items.filter(({ key }) => key !== item.key), done });
  }

  async function read(item: AddingItem, file: File) {
    setState(item.key, { status: 'reading' });
    try {
      finish(item, (await images.addPhotograph(file, item.surveyId)).outcome);
    } catch (error) {
      setState(item.key, { status: 'refused', error: asWire(error) });
    }
  }

  function pump() {
    while (running < LIMITS.imagesAtATime) {
      const item = facts.items.find(({ state }) => state.status === 'waiting');
      const file = item && files.get(item.key);
      if (item === undefined || file === undefined) return;
      files.delete(item.key);
      running++;
      void read(item, file).finally(() => {
        running--;
        pump();
      });
    }
  }

  return {
    get: () => facts,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(given, surveyId) {
      const items = given.map((file): AddingItem => {
        const key = nextKey++;
        files.set(key, file);
        return { key, surveyId, name: file.name, state: { status: 'waiting' } };
      });
      set({ ...facts, items: [...facts.items, ...items] });
      pump();
    },
    dismiss(surveyId) {
      set({ ...facts, items: facts.items.filter((item) => item.surveyId !== surveyId || item.state.status !== 'refused') });
    },
  };
}

function asWire(error: unknown): WireError {
  if (error instanceof ReefError) return error.toWire();
  // A file on a card that was pulled out, or that another program holds: the browser throws its own error on reading it.
  return new ReefError('internal', { message: `It could not be read (${error instanceof Error ? error.message : String(error)}). It is not saved. Add it again.` }).toWire();
}
