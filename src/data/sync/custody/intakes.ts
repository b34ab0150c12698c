import type { ChosenFile, Intake, SettledFiles } from '../../../domain/custody/intake';
import {
  acknowledgeIntake,
  newIntake,
  fileKey,
  isIntakeClosed,
  withFilesReread,
  settleIntake,
} from '../../../domain/custody/intake';
import { makeId } from '../../../domain/ids';
import type { SurveyId } from '../../../domain/ids';
import type { OpsStore } from '../../ops/ops-store';
import { Emitter } from '../../../base/emitter';

/** Files, or ms, after which progress is stored. An interruption in between only asks for a file again. */
const FLUSH_FILES = 25;
const FLUSH_MS = 2000;
/** Interval of checks whether a batch's tab is still alive, and the duration of one check, ms. */
const CHECK_INTERVAL_MS = 5000;
const LOCK_TEST_MS = 100;

type FileOutcome = { readonly status: 'taken' } | { readonly status: 'left-out'; readonly why: string };

export interface IntakeHandle {
  /** Reports the outcome of a file; it is stored soon. */
  readonly settle: (file: ChosenFile, outcome: FileOutcome) => void;
  /** Settles once all outcomes are stored. Files without an outcome stay unread. */
  readonly end: () => Promise<void>;
}

interface IntakeProgress {
  /** Files still to be read by a live tab. */
  readonly reading: number;
  /** Files that no tab will read. */
  readonly unread: number;
  readonly leftOut: Intake['leftOut'];
}

const NO_PROGRESS: IntakeProgress = { reading: 0, unread: 0, leftOut: [] };

/**
 * Batches of files added to surveys, stored before the first file is read, so that an interruption never leaves a card
 * looking safe. A completely read batch is deleted.
 */
export class Intakes {
  readonly changed = new Emitter<void>();
  /** Settles once the earlier batches are loaded. */
  readonly loaded: Promise<void>;
  #rows: readonly Intake[] = [];
  /** Batches whose tab is gone. */
  readonly #orphaned = new Set<string>();
  readonly #own = new Set<string>();
  readonly #stopWatching: () => void;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  readonly #store: OpsStore;
  readonly #lockName: string;

  constructor(store: OpsStore, lockName: string) {
    this.#store = store;
    this.#lockName = lockName;
    let resolveLoaded = (): void => undefined;
    this.loaded = new Promise((resolve) => (resolveLoaded = resolve));
    this.#stopWatching = store.watch(
      () => store.db.intakes.toArray(),
      (rows) => {
        this.#rows = rows;
        resolveLoaded();
        this.changed.emit();
        this.#scheduleRefresh(0);
      },
    );
  }

  /** @throws ReefError `storage-full`: nothing is read then, so nothing is missed */
  async begin(surveyId: SurveyId, files: readonly ChosenFile[]): Promise<IntakeHandle> {
    const store = this.#store;
    const intake = newIntake(makeId(store.host.randomBytes), surveyId, store.isoNow(), files);
    this.#own.add(intake.id);
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const never = new AbortController().signal;
    // Held while this tab reads: the system releases it when the tab dies.
    void store.host.locks.hold(`${this.#lockName}-${intake.id}`, never, () => until);
    try {
      await store.run(() => store.db.intakes.put(intake));
    } catch (error) {
      this.#own.delete(intake.id);
      release();
      throw error;
    }
    return this.#handle(intake, release);
  }

  /** Reading progress of a survey, as last loaded from the database. */
  progressOf(surveyId: SurveyId): IntakeProgress {
    const rows = this.#rows.filter((row) => row.surveyId === surveyId);
    if (rows.length === 0) return NO_PROGRESS;
    const count = (some: readonly Intake[]): number => some.reduce((sum, { unread }) => sum + unread.length, 0);
    return {
      reading: count(rows.filter(({ id }) => !this.#orphaned.has(id))),
      unread: count(rows.filter(({ id }) => this.#orphaned.has(id))),
      leftOut: rows.flatMap(({ leftOut }) => leftOut),
    };
  }

  get surveyIds(): readonly SurveyId[] {
    return [...new Set(this.#rows.map(({ surveyId }) => surveyId))];
  }

  /** Acknowledges files that were left out or never read: they no longer block a card. */
  async acknowledge(surveyId: SurveyId): Promise<void> {
    const { db } = this.#store;
    await this.#store.run(() =>
      db.transaction('rw', db.intakes, async () => {
        for (const row of await db.intakes.where({ surveyId }).toArray()) {
          await this.#saveRow(this.#orphaned.has(row.id) ? acknowledgeIntake(row) : { ...row, leftOut: [] });
        }
      }),
    );
  }

  close(): void {
    this.#closed = true;
    this.#stopWatching();
    this.#cancelTimer?.();
  }

  #handle(intake: Intake, release: () => void): IntakeHandle {
    let taken: string[] = [];
    let leftOut: SettledFiles['leftOut'][number][] = [];
    let planned: (() => void) | undefined;
    let writing: Promise<void> = Promise.resolve();
    const { timers, log } = this.#store.host;
    const flush = (): void => {
      planned?.();
      planned = undefined;
      const settled: SettledFiles = { taken, leftOut };
      taken = [];
      leftOut = [];
      if (settled.taken.length + settled.leftOut.length === 0) return;
      writing = writing
        .then(() => this.#write(intake, settled))
        .catch((error: unknown) =>
          log.note('warn', 'The progress of reading a card could not be saved; the card counts as unread.', {
            error: String(error),
          }),
        );
    };
    return {
      settle: (file, outcome) => {
        if (outcome.status === 'taken') taken.push(fileKey(file));
        else leftOut.push({ key: fileKey(file), name: file.name, why: outcome.why });
        if (taken.length + leftOut.length >= FLUSH_FILES) flush();
        else planned ??= timers.after(FLUSH_MS, flush);
      },
      end: async () => {
        flush();
        await writing;
        this.#own.delete(intake.id);
        release();
        this.#scheduleRefresh(0);
      },
    };
  }

  async #write({ id, surveyId }: Intake, settled: SettledFiles): Promise<void> {
    const { db } = this.#store;
    await this.#store.run(() =>
      db.transaction('rw', db.intakes, async () => {
        for (const row of await db.intakes.where({ surveyId }).toArray()) {
          if (row.id === id) await this.#saveRow(settleIntake(row, settled));
          else await this.#saveRow(withFilesReread(row, settled.taken));
        }
      }),
    );
  }

  /** Call inside a transaction. */
  async #saveRow(row: Intake): Promise<void> {
    const { db } = this.#store;
    if (isIntakeClosed(row)) await db.intakes.delete(row.id);
    else await db.intakes.put(row);
  }

  #scheduleRefresh(ms: number): void {
    if (this.#closed) return;
    this.#cancelTimer?.();
    if (!this.#rows.some(({ unread, id }) => unread.length > 0 && !this.#orphaned.has(id))) return;
    this.#cancelTimer = this.#store.host.timers.after(ms, () => {
      this.#refresh()
        .catch((error: unknown) =>
          this.#store.host.log.note('warn', 'Checking whether another tab is reading a card failed.', {
            error: String(error),
          }),
        )
        .finally(() => this.#scheduleRefresh(CHECK_INTERVAL_MS));
    });
  }

  async #refresh(): Promise<void> {
    const open = this.#rows.filter(
      ({ id, unread }) => unread.length > 0 && !this.#own.has(id) && !this.#orphaned.has(id),
    );
    const gone = await Promise.all(
      open.map(async ({ id }) => ((await this.#isLockFree(`${this.#lockName}-${id}`)) ? id : undefined)),
    );
    const found = gone.filter((id) => id !== undefined);
    if (found.length === 0) return;
    for (const id of found) this.#orphaned.add(id);
    this.changed.emit();
  }

  /** True if a lock is free: it is acquired at once then. */
  async #isLockFree(name: string): Promise<boolean> {
    const { locks, timers } = this.#store.host;
    const waiting = new AbortController();
    const cancelTimer = timers.after(LOCK_TEST_MS, () => waiting.abort(new Error('another tab holds it')));
    try {
      await locks.hold(name, waiting.signal, async () => undefined);
      return true;
    } catch (error) {
      if (waiting.signal.aborted) return false;
      throw error;
    } finally {
      cancelTimer();
    }
  }
}
