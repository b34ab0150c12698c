import { Emitter } from '../../../base/emitter';
import type { AddedPhotograph, IntakeHandle, Observable, Person } from '../../../data/repositories';
import type { ChosenFile } from '../../../domain/custody/intake';
import { ReefError, type WireError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';
import type { AddingItem, AddingState, DetectedClock, SurveyAdding } from './adding-state';

export interface QueuedFile {
  readonly key: number;
  readonly id: ImageId;
  readonly name: string;
  readonly file: File;
  readonly given: ChosenFile;
  readonly surveyQueue: SurveyQueue;
  readonly retakeOf: ImageId | undefined;
  readonly author: Person | undefined;
  readonly batch: OpenBatch | undefined;
  readonly abort: AbortController;
  stopped: boolean;
}

/** Batch of files; it ends with the last of them. Files stopped before reading count as never read. */
export class OpenBatch {
  readonly #handle: IntakeHandle;
  /** Queued or being read. */
  #left: number;

  constructor(handle: IntakeHandle, files: number) {
    this.#handle = handle;
    this.#left = files;
  }

  settle(...result: Parameters<IntakeHandle['settle']>): void {
    this.#handle.settle(...result);
  }

  countOut(): void {
    this.#left--;
    if (this.#left === 0)
      this.#handle
        .end()
        .catch((error: unknown) =>
          console.warn('The results of a batch could not be stored; its files will be requested again.', error),
        );
  }
}

/** Facts that a survey's snapshot takes from the whole queue. */
type QueueFacts = Pick<SurveyAdding, 'isPaused' | 'pace'>;

/** Files of one survey, their results, and the snapshot that screens show. The caller schedules and notifies. */
export class SurveyQueue {
  readonly waiting = new Map<number, QueuedFile>();
  readonly reading = new Map<number, QueuedFile>();
  readonly surveyId: SurveyId;
  readonly state: Observable<SurveyAdding>;
  readonly #changed = new Emitter();
  readonly #settled: AddingItem[] = [];
  readonly #keys = new Map<ImageId, number>();
  #counts = { total: 0, saved: 0, known: 0, refused: 0, stopped: 0 };
  #detectedClock: DetectedClock | null = null;
  #snapshot: SurveyAdding | undefined;

  constructor(surveyId: SurveyId, facts: () => QueueFacts) {
    this.surveyId = surveyId;
    this.state = { get: () => (this.#snapshot ??= this.#read(facts())), subscribe: this.#changed.subscribe };
  }

  get isWorking(): boolean {
    return this.reading.size + this.waiting.size > 0;
  }

  /** Discards the snapshot; `notify` follows. */
  invalidate(): void {
    this.#snapshot = undefined;
  }

  notify(): void {
    this.#changed.emit();
  }

  add(files: readonly QueuedFile[]): void {
    if (!this.isWorking) this.#resetCounts();
    for (const file of files) this.waiting.set(file.key, file);
    this.#counts.total += files.length;
  }

  startReading(file: QueuedFile): void {
    this.waiting.delete(file.key);
    this.reading.set(file.key, file);
  }

  settleAdded({ key, id: ownId, name }: QueuedFile, { id, sha256, outcome, detectedClock }: AddedPhotograph): void {
    this.reading.delete(key);
    if (outcome === 'known') {
      this.#counts.known++;
      this.#settled.push({ key, id: ownId, name, state: { status: 'known', id, sha256 } });
    } else {
      this.#counts.saved++;
      this.#keys.set(id, key);
    }
    if (detectedClock !== undefined) this.#detectedClock = { ...detectedClock, id };
  }

  settleFailed({ key, id, name, stopped }: QueuedFile, error: WireError): void {
    this.reading.delete(key);
    if (stopped) this.#counts.stopped++;
    else {
      this.#counts.refused++;
      this.#settled.push({ key, id, name, state: { status: 'refused', error } });
    }
  }

  /** Aborts files being read; returns those that waited. */
  stop(): readonly QueuedFile[] {
    const dropped = [...this.waiting.values()];
    this.waiting.clear();
    this.#counts.stopped += dropped.length;
    for (const file of this.reading.values()) {
      file.stopped = true;
      file.abort.abort(new DOMException('Adding was stopped.', 'AbortError'));
    }
    return dropped;
  }

  dismiss(): void {
    this.#counts.total -= this.#settled.length;
    this.#settled.length = 0;
    Object.assign(this.#counts, { known: 0, refused: 0 });
    if (!this.isWorking) this.#resetCounts();
  }

  /** Duplicates and refused files stay counted until dismissed. */
  #resetCounts(): void {
    const total = this.#settled.length;
    const known = this.#settled.filter(({ state }) => state.status === 'known').length;
    this.#counts = { total, saved: 0, known, refused: total - known, stopped: 0 };
  }

  #read(facts: QueueFacts): SurveyAdding {
    return {
      ...this.#counts,
      ...facts,
      reading: this.reading.size,
      waiting: this.waiting.size,
      items: [
        ...this.#settled,
        ...Array.from(this.reading.values(), (file) => addingItemOf(file, READING)),
        ...Array.from(this.waiting.values(), (file) => addingItemOf(file, WAITING)),
      ],
      keys: this.#keys,
      detectedClock: this.#detectedClock,
    };
  }
}

const READING: AddingState = { status: 'reading' };
const WAITING: AddingState = { status: 'waiting' };

const itemCache = new WeakMap<QueuedFile, AddingItem>();

/** Cached per state, so that its tile does not render. */
function addingItemOf(queuedFile: QueuedFile, state: AddingState): AddingItem {
  const cached = itemCache.get(queuedFile);
  if (cached?.state === state) return cached;
  const { key, id, name } = queuedFile;
  const created: AddingItem = { key, id, name, state };
  itemCache.set(queuedFile, created);
  return created;
}

export function toWireError(error: unknown): WireError {
  if (error instanceof ReefError) return error.toWire();
  // File on a pulled-out card, or held by another program.
  return new ReefError('internal', {
    message: `The file could not be read (${error instanceof Error ? error.message : String(error)}). It is not saved. Add it again.`,
  }).toWire();
}
