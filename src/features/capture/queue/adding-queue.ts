import { Emitter } from '../../../base/emitter';
import type { AddedPhotograph, ImageRepository, IntakeHandle, Observable, Person } from '../../../data/repositories';
import type { ChosenFile } from '../../../domain/custody/intake';
import { ReefError, type WireError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';
import type {
  AddingItem,
  AddingQueue,
  AddingState,
  AddingEnvironment,
  DetectedClock,
  SurveyAdding,
} from './adding-state';
import { holdPageOpen } from './hold-page-open';
import { createPaceMeter } from './pace';

/** Often enough to look alive, rarely enough to leave the thread free, ms. */
const NOTIFY_MS = 400;

const queueByRepository = new WeakMap<ImageRepository, AddingQueue>();

export function addingQueueFor(images: ImageRepository): AddingQueue {
  const existing = queueByRepository.get(images);
  if (existing !== undefined) return existing;
  const created = createAddingQueue(images, {
    elapsed: () => performance.now(),
    schedule: (call) => setTimeout(call, NOTIFY_MS),
    holdPageOpen,
  });
  queueByRepository.set(images, created);
  return created;
}

interface QueuedFile {
  readonly key: number;
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

/** `left` are queued or being read. */
interface OpenBatch {
  readonly handle: IntakeHandle;
  left: number;
}

interface SurveyQueue {
  readonly surveyId: SurveyId;
  readonly settled: AddingItem[];
  readonly reading: Map<number, QueuedFile>;
  readonly waiting: Map<number, QueuedFile>;
  readonly keys: Map<ImageId, number>;
  readonly changed: Emitter;
  total: number;
  saved: number;
  known: number;
  refused: number;
  stopped: number;
  detectedClock: DetectedClock | null;
  snapshot: SurveyAdding | undefined;
}

/** Screens use `addingQueueFor`. */
export function createAddingQueue(
  images: Pick<ImageRepository, 'addPhotograph' | 'retake' | 'addConcurrency'>,
  { elapsed, schedule, holdPageOpen }: AddingEnvironment,
): AddingQueue {
  const surveyQueues = new Map<SurveyId, SurveyQueue>();
  /** In order, over all surveys; first entry in constant time. */
  const queue = new Map<number, QueuedFile>();
  const changed = new Set<SurveyQueue>();
  const pace = createPaceMeter();
  let nextKey = 1;
  let running = 0;
  let isPaused = false;
  let releasePage: (() => void) | undefined;
  let isNotifying = false;

  function surveyQueueOf(surveyId: SurveyId): SurveyQueue {
    const existing = surveyQueues.get(surveyId);
    if (existing !== undefined) return existing;
    const fresh: SurveyQueue = {
      surveyId,
      settled: [],
      reading: new Map(),
      waiting: new Map(),
      keys: new Map(),
      changed: new Emitter(),
      total: 0,
      saved: 0,
      known: 0,
      refused: 0,
      stopped: 0,
      detectedClock: null,
      snapshot: undefined,
    };
    surveyQueues.set(surveyId, fresh);
    return fresh;
  }

  function notify(): void {
    isNotifying = false;
    const now = [...changed];
    changed.clear();
    for (const surveyQueue of now) surveyQueue.snapshot = undefined;
    for (const surveyQueue of now) surveyQueue.changed.emit();
  }
  /** `once` after a person's action, `soon` after a step of the queue. */
  function markChanged(surveyQueue: SurveyQueue, at: 'once' | 'soon'): void {
    changed.add(surveyQueue);
    if (at === 'once') notify();
    else if (!isNotifying) {
      isNotifying = true;
      schedule(notify);
    }
  }
  function markAllChanged(): void {
    for (const surveyQueue of surveyQueues.values()) changed.add(surveyQueue);
    notify();
  }

  /** The batch ends with its last file. Files stopped earlier count as never read. */
  function countOutOfBatch({ batch }: QueuedFile): void {
    if (batch === undefined) return;
    batch.left--;
    if (batch.left === 0)
      batch.handle
        .end()
        .catch((error: unknown) =>
          console.warn('The results of a batch could not be stored; its files will be requested again.', error),
        );
  }

  function settle(
    queuedFile: QueuedFile,
    result: { readonly added: AddedPhotograph } | { readonly error: unknown },
  ): void {
    const { surveyQueue, key, name, stopped, batch, given } = queuedFile;
    surveyQueue.reading.delete(key);
    if ('added' in result) batch?.handle.settle(given, { status: 'taken' });
    else if (!stopped) batch?.handle.settle(given, { status: 'left-out', why: toWireError(result.error).message });
    countOutOfBatch(queuedFile);
    if ('added' in result) {
      const { id, sha256, outcome, detectedClock } = result.added;
      if (outcome === 'known') {
        surveyQueue.known++;
        surveyQueue.settled.push({ key, name, state: { status: 'known', id, sha256 } });
      } else {
        surveyQueue.saved++;
        surveyQueue.keys.set(id, key);
      }
      if (detectedClock !== undefined) surveyQueue.detectedClock = { ...detectedClock, id };
    } else if (stopped) {
      surveyQueue.stopped++;
    } else {
      surveyQueue.refused++;
      surveyQueue.settled.push({ key, name, state: { status: 'refused', error: toWireError(result.error) } });
    }
    pace.addDone(elapsed());
    markChanged(surveyQueue, 'soon');
  }

  async function readFile(queuedFile: QueuedFile): Promise<void> {
    const { surveyQueue, file, retakeOf, author, abort } = queuedFile;
    try {
      const added =
        retakeOf === undefined
          ? await images.addPhotograph(file, surveyQueue.surveyId, abort.signal, author)
          : await images.retake(retakeOf, file, abort.signal, author);
      settle(queuedFile, { added });
    } catch (error) {
      settle(queuedFile, { error });
    }
  }

  function startNext(): void {
    while (!isPaused && running < images.addConcurrency) {
      const queuedFile = queue.values().next().value;
      if (queuedFile === undefined) break;
      queue.delete(queuedFile.key);
      queuedFile.surveyQueue.waiting.delete(queuedFile.key);
      queuedFile.surveyQueue.reading.set(queuedFile.key, queuedFile);
      markChanged(queuedFile.surveyQueue, 'soon');
      running++;
      void readFile(queuedFile).finally(() => {
        running--;
        startNext();
      });
    }
    const isBusy = running > 0 || queue.size > 0;
    if (isBusy) releasePage ??= holdPageOpen();
    else {
      releasePage?.();
      releasePage = undefined;
    }
  }

  function snapshotOf(surveyQueue: SurveyQueue): SurveyAdding {
    const { settled, reading, waiting, keys, total, saved, known, refused, stopped, detectedClock } = surveyQueue;
    const items = [
      ...settled,
      ...Array.from(reading.values(), (queuedFile) => addingItemOf(queuedFile, READING)),
      ...Array.from(waiting.values(), (queuedFile) => addingItemOf(queuedFile, WAITING)),
    ];
    // Earlier files of other surveys come first.
    const left = queue.size + running;
    return {
      total,
      saved,
      known,
      refused,
      stopped,
      reading: reading.size,
      waiting: waiting.size,
      isPaused,
      items,
      keys,
      detectedClock,
      pace: pace.read(elapsed(), isPaused ? 0 : left),
    };
  }

  return {
    ofSurvey: (surveyId) => observe(surveyQueueOf(surveyId), snapshotOf),
    add(files, surveyId, { retakeOf, author, batch: handle, given } = {}) {
      const batch = handle === undefined ? undefined : { handle, left: files.length };
      const surveyQueue = surveyQueueOf(surveyId);
      if (surveyQueue.reading.size + surveyQueue.waiting.size === 0) resetCounts(surveyQueue);
      if (queue.size + running === 0) pace.restart(elapsed());
      for (const [i, file] of files.entries()) {
        const key = nextKey++;
        const queuedFile: QueuedFile = {
          key,
          name: file.name,
          file,
          given: given?.[i] ?? file,
          surveyQueue,
          retakeOf,
          author,
          batch,
          abort: new AbortController(),
          stopped: false,
        };
        queue.set(key, queuedFile);
        surveyQueue.waiting.set(key, queuedFile);
      }
      surveyQueue.total += files.length;
      startNext();
      markChanged(surveyQueue, 'once');
    },
    pause() {
      isPaused = true;
      markAllChanged();
    },
    resume() {
      isPaused = false;
      pace.restart(elapsed());
      startNext();
      markAllChanged();
    },
    stop(surveyId) {
      const surveyQueue = surveyQueueOf(surveyId);
      surveyQueue.stopped += surveyQueue.waiting.size;
      for (const queuedFile of surveyQueue.waiting.values()) {
        queue.delete(queuedFile.key);
        countOutOfBatch(queuedFile);
      }
      surveyQueue.waiting.clear();
      for (const queuedFile of surveyQueue.reading.values()) {
        queuedFile.stopped = true;
        queuedFile.abort.abort(new DOMException('Adding was stopped.', 'AbortError'));
      }
      if (queue.size === 0) isPaused = false;
      startNext();
      markChanged(surveyQueue, 'once');
    },
    dismiss(surveyId) {
      const surveyQueue = surveyQueueOf(surveyId);
      const isWorking = surveyQueue.reading.size + surveyQueue.waiting.size > 0;
      surveyQueue.total -= surveyQueue.settled.length;
      surveyQueue.settled.length = 0;
      Object.assign(surveyQueue, { known: 0, refused: 0 });
      if (!isWorking) resetCounts(surveyQueue);
      markChanged(surveyQueue, 'once');
    },
  };
}

const READING: AddingState = { status: 'reading' };
const WAITING: AddingState = { status: 'waiting' };

const itemCache = new WeakMap<QueuedFile, AddingItem>();

/** Cached per state, so that its tile does not render. */
function addingItemOf(queuedFile: QueuedFile, state: AddingState): AddingItem {
  const cached = itemCache.get(queuedFile);
  if (cached?.state === state) return cached;
  const created: AddingItem = { key: queuedFile.key, name: queuedFile.name, state };
  itemCache.set(queuedFile, created);
  return created;
}

/** Duplicates and refused files stay counted until dismissed. */
function resetCounts(surveyQueue: SurveyQueue): void {
  Object.assign(surveyQueue, {
    total: surveyQueue.settled.length,
    saved: 0,
    known: surveyQueue.settled.filter(({ state }) => state.status === 'known').length,
    stopped: 0,
  });
  surveyQueue.refused = surveyQueue.settled.length - surveyQueue.known;
}

const observables = new WeakMap<SurveyQueue, Observable<SurveyAdding>>();

function observe(surveyQueue: SurveyQueue, read: (surveyQueue: SurveyQueue) => SurveyAdding): Observable<SurveyAdding> {
  const existing = observables.get(surveyQueue);
  if (existing !== undefined) return existing;
  const created: Observable<SurveyAdding> = {
    get: () => (surveyQueue.snapshot ??= read(surveyQueue)),
    subscribe: surveyQueue.changed.subscribe,
  };
  observables.set(surveyQueue, created);
  return created;
}

function toWireError(error: unknown): WireError {
  if (error instanceof ReefError) return error.toWire();
  // File on a pulled-out card, or held by another program.
  return new ReefError('internal', {
    message: `The file could not be read (${error instanceof Error ? error.message : String(error)}). It is not saved. Add it again.`,
  }).toWire();
}
