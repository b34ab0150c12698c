import { Emitter } from '../../../base/emitter';
import type { SurveyRepository } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import type { SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { Region } from '../../../domain/region/region';
import {
  changesOf,
  checkEdits,
  logOf,
  type CheckedEdits,
  type LogEdits,
  type LogField,
  type LogValues,
} from '../../../domain/survey/log';
import type { DraftJournal } from './draft-journal';

/** Delay from the last change to the write, ms: one operation per entry, not per letter. */
const SAVE_DELAY_MS = 500;

/** State of the log: saved, saving, or failed (entries are retained and retried). */
type LogState =
  | { readonly status: 'saved' }
  | { readonly status: 'saving' }
  | { readonly status: 'failed'; readonly error: ReefError };

export interface LogDraftView {
  readonly values: LogValues;
  /** Unsaved entries; faulty ones stay visible until corrected. */
  readonly entered: LogEdits;
  readonly faults: Readonly<Partial<Record<LogField, string>>>;
  readonly state: LogState;
}

interface LogDraftContext {
  readonly surveys: Pick<SurveyRepository, 'edit'>;
  readonly journal: DraftJournal;
  /** Date by the tablet's clock, `YYYY-MM-DD`. */
  readonly today: () => string;
  /** Regions with what staff changed. */
  readonly regions: () => readonly Region[];
  /** Calls back once after `ms`; returns a function that cancels it. */
  readonly setTimer: (ms: number, call: () => void) => () => void;
}

/**
 * Draft of one survey's log. Each change is journalled at once, written soon after as one operation, and shown as
 * entered until the document contains it. Faulty fields never delay valid ones.
 */
export class LogDraft {
  #entered: LogEdits;
  /** Written, but not in the document yet. */
  #written: LogEdits = {};
  #doc: JsonObject;
  #state: LogState = { status: 'saved' };
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #view: LogDraftView | undefined;
  readonly #changed = new Emitter();
  readonly subscribe = this.#changed.subscribe;

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

  /** Returns the same object until something changes. */
  readonly get = (): LogDraftView => {
    if (this.#view === undefined) {
      const { valid, faults } = this.#checked();
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

  /** Takes the document from the store and drops entries that it contains. */
  updateDocument(doc: JsonObject): void {
    if (doc === this.#doc) return;
    this.#doc = doc;
    this.#written = {};
    this.#notify();
  }

  /** Checks the entries again, after staff opened or closed a region. */
  recheck(): void {
    if (Object.keys(this.#validEdits()).length > 0) this.#scheduleFlush();
    this.#notify();
  }

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

  /** Discards a faulty entry: the field shows the saved value. */
  discard(field: LogField): void {
    const { [field]: _gone, ...rest } = this.#entered;
    this.#entered = rest;
    this.#context.journal.write(this.id, rest);
    this.#notify();
  }

  /**
   * Writes pending entries at once, when the person leaves a field or the page is hidden. Resolves once no write is
   * running.
   */
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
    return this.#checked().valid;
  }

  #checked(): CheckedEdits {
    return checkEdits(this.#entered, this.#context.today(), this.#context.regions());
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
            : new ReefError('internal', { message: 'The log could not be saved.', cause: error }),
      });
      return;
    }
    this.#written = { ...this.#written, ...valid };
    // A newer entry in the same field stays.
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
    this.#changed.emit();
  }
}
