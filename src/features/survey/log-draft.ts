import type { SurveyRepository } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import type { SurveyId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { changesOf, checkEdits, logOf, type LogEdits, type LogField, type LogValues } from '../../domain/survey/log';
import type { DraftJournal } from './draft-journal';

/** From the last change of a field to its writing, ms: one operation an entry, not one a letter. */
export const SETTLE_MS = 500;

/** How the log stands: what was entered is written, is about to be, or could not be (it stays entered, and is tried again). */
export type LogState =
  | { readonly status: 'saved' }
  | { readonly status: 'saving' }
  | { readonly status: 'failed'; readonly error: ReefError };

export interface ShownLog {
  readonly values: LogValues;
  /** As entered, where it is not written: faulty entries stay in sight until they are mended. */
  readonly entered: LogEdits;
  readonly faults: Readonly<Partial<Record<LogField, string>>>;
  readonly state: LogState;
}

interface Around {
  readonly surveys: Pick<SurveyRepository, 'edit'>;
  readonly journal: DraftJournal;
  /** Today by the tablet's clock, `YYYY-MM-DD`. */
  readonly today: () => string;
  /** Calls back once after `ms`; gives what calls it off. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/**
 * The entries of one survey's log on their way to the tablet's store. Each change is kept at once (journal), written soon
 * after as one operation, and shown as entered until the document shows it. Faulty fields wait; good ones never wait for them.
 */
export class LogDraft {
  #entered: LogEdits;
  /** Written, and not in the document yet. */
  #written: LogEdits = {};
  #doc: JsonObject;
  #state: LogState = { status: 'saved' };
  #callOff: (() => void) | undefined;
  #working: Promise<void> = Promise.resolve();
  #shown: ShownLog | undefined;
  readonly #listeners = new Set<() => void>();

  readonly #around: Around;

  constructor(
    readonly id: SurveyId,
    doc: JsonObject,
    around: Around,
  ) {
    this.#around = around;
    this.#doc = doc;
    this.#entered = around.journal.read(id);
    if (Object.keys(this.#good()).length > 0) this.#plan();
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  };

  /** The same object until something changes. */
  readonly get = (): ShownLog => {
    if (this.#shown === undefined) {
      const { good, faults } = checkEdits(this.#entered, this.#around.today());
      const before = { ...this.#doc, ...changesOf(this.#doc, this.#written) };
      this.#shown = {
        values: logOf({ ...before, ...changesOf(before, good) }),
        entered: this.#entered,
        faults,
        state: this.#state,
      };
    }
    return this.#shown;
  };

  /** The document as it came anew from the store: what it shows by now needs no memory here. */
  follow(doc: JsonObject): void {
    if (doc === this.#doc) return;
    this.#doc = doc;
    this.#written = {};
    this.#tell();
  }

  /** A person entered something. */
  enter(edits: LogEdits): void {
    const { answers } = this.#entered;
    this.#entered = {
      ...this.#entered,
      ...edits,
      ...(edits.answers === undefined ? {} : { answers: { ...answers, ...edits.answers } }),
    };
    this.#around.journal.write(this.id, this.#entered);
    this.#state = Object.keys(this.#good()).length > 0 ? { status: 'saving' } : this.#state;
    this.#plan();
    this.#tell();
  }

  /** Takes back faulty entries: the fields show what is written. */
  discard(field: LogField): void {
    const { [field]: _gone, ...rest } = this.#entered;
    this.#entered = rest;
    this.#around.journal.write(this.id, rest);
    this.#tell();
  }

  /** Writes at once what waits: the person left a field, or the page goes away. Settles when nothing is on its way. */
  flush(): Promise<void> {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#working = this.#working.then(() => this.#write());
    return this.#working;
  }

  #plan(): void {
    this.#callOff?.();
    this.#callOff = this.#around.after(SETTLE_MS, () => void this.flush());
  }

  #good(): LogEdits {
    return checkEdits(this.#entered, this.#around.today()).good;
  }

  async #write(): Promise<void> {
    const good = this.#good();
    if (Object.keys(good).length === 0) {
      if (this.#state.status === 'saving') this.#become({ status: 'saved' });
      return;
    }
    this.#become({ status: 'saving' });
    try {
      await this.#around.surveys.edit(this.id, (doc) => changesOf(doc, good));
    } catch (error) {
      this.#become({
        status: 'failed',
        error:
          error instanceof ReefError
            ? error
            : new ReefError('internal', { message: 'The log could not be written just now.', cause: error }),
      });
      return;
    }
    this.#written = { ...this.#written, ...good };
    // What was entered meanwhile in the same field is newer, and stays.
    this.#entered = Object.fromEntries(
      Object.entries(this.#entered).filter(([field, value]) => good[field as LogField] !== value),
    ) as LogEdits;
    this.#around.journal.write(this.id, this.#entered);
    this.#become({ status: Object.keys(this.#good()).length === 0 ? 'saved' : 'saving' });
  }

  #become(state: LogState): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    this.#shown = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}
