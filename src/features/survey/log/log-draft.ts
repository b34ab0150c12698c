import type { SurveyRepository } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import type { SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { changesOf, checkEdits, logOf, type LogEdits, type LogField, type LogValues } from '../../../domain/survey/log';
import type { DraftJournal } from './draft-journal';

/** From the last change of a field to its writing, ms: one operation an entry, not one a letter. */
export const SAVE_DELAY_MS = 500;

/** How the log stands: what was entered is written, is about to be, or could not be (it stays entered, and is tried again). */
export type LogState =
  | { readonly status: 'saved' }
  | { readonly status: 'saving' }
  | { readonly status: 'failed'; readonly error: ReefError };

export interface LogDraftView {
  readonly values: LogValues;
  /** As entered, where it is not written: faulty entries stay in sight until they are mended. */
  readonly entered: LogEdits;
  readonly faults: Readonly<Partial<Record<LogField, string>>>;
  readonly state: LogState;
}

interface LogDraftContext {
  readonly surveys: Pick<SurveyRepository, 'edit'>;
  readonly journal: DraftJournal;
  /** Today by the tablet's clock, `YYYY-MM-DD`. */
  readonly today: () => string;
  /** Calls back once after `ms`; gives what calls it off. */
  readonly setTimer: (ms: number, call: () => void) => () => void;
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
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #view: LogDraftView | undefined;
  readonly #listeners = new Set<() => void>();

  readonly #context: LogDraftContext;

  constructor(
    readonly id: SurveyId,
    doc: JsonObject,
    around: LogDraftContext,
  ) {
    this.#context = around;
    this.#doc = doc;
    this.#entered = around.journal.read(id);
    if (Object.keys(this.#validEdits()).length > 0) this.#scheduleFlush();
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  };

  /** The same object until something changes. */
  readonly get = (): LogDraftView => {
    if (this.#view === undefined) {
      const { valid, faults } = checkEdits(this.#entered, this.#context.today());
      const before = { ...this.#doc, ...changesOf(this.#doc, this.#written) };
      this.#view = {
        values: logOf({ ...before, ...changesOf(before, valid) }),
        entered: this.#entered,
        faults,
        state: this.#state,
      };
    }
    return this.#view;
  };

  /** The document as it came anew from the store: what it shows by now needs no memory here. */
  updateDocument(doc: JsonObject): void {
    if (doc === this.#doc) return;
    this.#doc = doc;
    this.#written = {};
    this.#notify();
  }

  /** A person entered something. */
  enter(edits: LogEdits): void {
    const { answers } = this.#entered;
    this.#entered = {
      ...this.#entered,
      ...edits,
      ...(edits.answers === undefined ? {} : { answers: { ...answers, ...edits.answers } }),
    };
    this.#context.journal.write(this.id, this.#entered);
    this.#state = Object.keys(this.#validEdits()).length > 0 ? { status: 'saving' } : this.#state;
    this.#scheduleFlush();
    this.#notify();
  }

  /** Takes back faulty entries: the fields show what is written. */
  discard(field: LogField): void {
    const { [field]: _gone, ...rest } = this.#entered;
    this.#entered = rest;
    this.#context.journal.write(this.id, rest);
    this.#notify();
  }

  /** Writes at once what waits: the person left a field, or the page goes away. Settles when nothing is on its way. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #scheduleFlush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#context.setTimer(SAVE_DELAY_MS, () => void this.flush());
  }

  #validEdits(): LogEdits {
    return checkEdits(this.#entered, this.#context.today()).valid;
  }

  async #write(): Promise<void> {
    const valid = this.#validEdits();
    if (Object.keys(valid).length === 0) {
      if (this.#state.status === 'saving') this.#setState({ status: 'saved' });
      return;
    }
    this.#setState({ status: 'saving' });
    try {
      await this.#context.surveys.edit(this.id, (doc) => changesOf(doc, valid));
    } catch (error) {
      this.#setState({
        status: 'failed',
        error:
          error instanceof ReefError
            ? error
            : new ReefError('internal', { message: 'The log could not be written just now.', cause: error }),
      });
      return;
    }
    this.#written = { ...this.#written, ...valid };
    // What was entered meanwhile in the same field is newer, and stays.
    this.#entered = Object.fromEntries(
      Object.entries(this.#entered).filter(([field, value]) => valid[field as LogField] !== value),
    ) as LogEdits;
    this.#context.journal.write(this.id, this.#entered);
    this.#setState({ status: Object.keys(this.#validEdits()).length === 0 ? 'saved' : 'saving' });
  }

  #setState(state: LogState): void {
    this.#state = state;
    this.#notify();
  }

  #notify(): void {
    this.#view = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}
