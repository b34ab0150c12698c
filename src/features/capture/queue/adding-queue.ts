import type { AddedPhotograph, ImageRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import type { AddingQueue, AddingEnvironment } from './adding-state';
import { holdPageOpen } from './hold-page-open';
import { createPaceMeter } from './pace';
import { OpenBatch, SurveyQueue, toWireError, type QueuedFile } from './survey-queue';

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

type AddingImages = Pick<ImageRepository, 'addPhotograph' | 'newId' | 'retake' | 'addConcurrency'>;

/** Screens use `addingQueueFor`. */
export function createAddingQueue(
  images: AddingImages,
  { elapsed, schedule, holdPageOpen }: AddingEnvironment,
): AddingQueue {
  const surveyQueues = new Map<SurveyId, SurveyQueue>();
  /** In order, over all surveys; first entry in constant time. */
  const queue = new Map<number, QueuedFile>();
  const changes = createChangeNotifier(schedule);
  const pace = createPaceMeter();
  let nextKey = 1;
  let running = 0;
  let isPaused = false;
  let releasePage: (() => void) | undefined;

  function surveyQueueOf(surveyId: SurveyId): SurveyQueue {
    const existing = surveyQueues.get(surveyId);
    if (existing !== undefined) return existing;
    // Earlier files of other surveys come first: the time left counts them.
    const fresh = new SurveyQueue(surveyId, () => ({
      isPaused,
      pace: pace.read(elapsed(), isPaused ? 0 : queue.size + running),
    }));
    surveyQueues.set(surveyId, fresh);
    return fresh;
  }

  function startNext(): void {
    while (!isPaused && running < images.addConcurrency) {
      const queuedFile = queue.values().next().value;
      if (queuedFile === undefined) break;
      queue.delete(queuedFile.key);
      queuedFile.surveyQueue.startReading(queuedFile);
      changes.notifySoon(queuedFile.surveyQueue);
      running++;
      void readFile(images, queuedFile).finally(() => {
        pace.addDone(elapsed());
        changes.notifySoon(queuedFile.surveyQueue);
        running--;
        startNext();
      });
    }
    if (running > 0 || queue.size > 0) releasePage ??= holdPageOpen();
    else {
      releasePage?.();
      releasePage = undefined;
    }
  }

  return {
    ofSurvey: (surveyId) => surveyQueueOf(surveyId).state,
    add(files, surveyId, { retakeOf, author, batch: handle, given } = {}) {
      const batch = handle === undefined ? undefined : new OpenBatch(handle, files.length);
      const surveyQueue = surveyQueueOf(surveyId);
      if (queue.size + running === 0) pace.restart(elapsed());
      const added = files.map((file, i): QueuedFile => ({
        key: nextKey++,
        id: images.newId(),
        name: file.name,
        file,
        given: given?.[i] ?? file,
        surveyQueue,
        retakeOf,
        author,
        batch,
        abort: new AbortController(),
        stopped: false,
      }));
      for (const queuedFile of added) queue.set(queuedFile.key, queuedFile);
      surveyQueue.add(added);
      startNext();
      changes.notifyNow([surveyQueue]);
    },
    pause() {
      isPaused = true;
      changes.notifyNow(surveyQueues.values());
    },
    resume() {
      isPaused = false;
      pace.restart(elapsed());
      startNext();
      changes.notifyNow(surveyQueues.values());
    },
    stop(surveyId) {
      const surveyQueue = surveyQueueOf(surveyId);
      for (const dropped of surveyQueue.stop()) {
        queue.delete(dropped.key);
        dropped.batch?.countOut();
      }
      if (queue.size === 0) isPaused = false;
      startNext();
      changes.notifyNow([surveyQueue]);
    },
    dismiss(surveyId) {
      const surveyQueue = surveyQueueOf(surveyId);
      surveyQueue.dismiss();
      changes.notifyNow([surveyQueue]);
    },
  };
}

/** Adds one file and settles it in its survey and its batch. */
async function readFile(images: AddingImages, queuedFile: QueuedFile): Promise<void> {
  const { surveyQueue, id, file, given, batch, retakeOf, author: by, abort } = queuedFile;
  let added: AddedPhotograph;
  try {
    added =
      retakeOf === undefined
        ? await images.addPhotograph(file, surveyQueue.surveyId, abort.signal, { by, id })
        : await images.retake(retakeOf, file, abort.signal, { by, id });
  } catch (error) {
    const reason = toWireError(error);
    surveyQueue.settleFailed(queuedFile, reason);
    if (!queuedFile.stopped) batch?.settle(given, { status: 'left-out', why: reason.message });
    batch?.countOut();
    return;
  }
  surveyQueue.settleAdded(queuedFile, added);
  batch?.settle(given, { status: 'taken' });
  batch?.countOut();
}

interface ChangeNotifier {
  /** After a person's action; with it, all changes that wait. */
  readonly notifyNow: (surveyQueues: Iterable<SurveyQueue>) => void;
  /** After a step of the queue, together with the steps until then. */
  readonly notifySoon: (surveyQueue: SurveyQueue) => void;
}

function createChangeNotifier(schedule: AddingEnvironment['schedule']): ChangeNotifier {
  const changed = new Set<SurveyQueue>();
  let isScheduled = false;
  function notify(): void {
    isScheduled = false;
    const now = [...changed];
    changed.clear();
    for (const surveyQueue of now) surveyQueue.invalidate();
    for (const surveyQueue of now) surveyQueue.notify();
  }
  return {
    notifyNow(surveyQueues) {
      for (const surveyQueue of surveyQueues) changed.add(surveyQueue);
      notify();
    },
    notifySoon(surveyQueue) {
      changed.add(surveyQueue);
      if (isScheduled) return;
      isScheduled = true;
      schedule(notify);
    },
  };
}
