import type { AddedPhotograph, ImageRepository, IntakeHandle, Observable, Person } from '../../data/repositories';
import type { GivenFile } from '../../domain/custody/intake';
import { ReefError, type WireError } from '../../domain/errors';
import type { ImageId, SurveyId } from '../../domain/ids';
import type { AddingItem, AddingQueue, AddingState, AddingSurroundings, ClockSeen, SurveyAdding } from './adding-state';
import { keepPageOpen } from './keep-open';
import { makePace } from './pace';

/** Between two notifications, ms: often enough to look alive, seldom enough to leave the thread free. */
const TELL_MS = 400;

const queues = new WeakMap<ImageRepository, AddingQueue>();

/** The one queue in front of these photographs. */
export function addingOf(images: ImageRepository): AddingQueue {
  const known = queues.get(images);
  if (known !== undefined) return known;
  const made = makeAddingQueue(images, {
    elapsed: () => performance.now(),
    soon: (call) => setTimeout(call, TELL_MS),
    hold: keepPageOpen,
  });
  queues.set(images, made);
  return made;
}

/** A file in the queue. */
interface Ticket {
  readonly key: number;
  readonly name: string;
  readonly file: File;
  readonly given: GivenFile;
  readonly room: Room;
  readonly retakes: ImageId | undefined;
  readonly by: Person | undefined;
  readonly batch: Batch | undefined;
  readonly abort: AbortController;
  stopped: boolean;
}

/** Files given together; `left` of them are in the queue or in hand. */
interface Batch {
  readonly handle: IntakeHandle;
  left: number;
}

/** What is kept of one survey. */
interface Room {
  readonly surveyId: SurveyId;
  readonly settled: AddingItem[];
  readonly reading: Map<number, Ticket>;
  readonly waiting: Map<number, Ticket>;
  readonly keys: Map<ImageId, number>;
  readonly listeners: Set<() => void>;
  total: number;
  saved: number;
  known: number;
  refused: number;
  stopped: number;
  clockSeen: ClockSeen | null;
  snapshot: SurveyAdding | undefined;
}

/** Makes a queue; `addingOf` is what screens use. */
export function makeAddingQueue(
  images: Pick<ImageRepository, 'addPhotograph' | 'retake' | 'addConcurrency'>,
  { elapsed, soon, hold }: AddingSurroundings,
): AddingQueue {
  const rooms = new Map<SurveyId, Room>();
  /** In the order given, over all surveys. A map gives its first entry at once, however many there are. */
  const queue = new Map<number, Ticket>();
  const changed = new Set<Room>();
  const pace = makePace();
  let nextKey = 1;
  let running = 0;
  let isPaused = false;
  let letGo: (() => void) | undefined;
  let telling = false;

  function roomOf(surveyId: SurveyId): Room {
    const existing = rooms.get(surveyId);
    if (existing !== undefined) return existing;
    const fresh: Room = {
      surveyId,
      settled: [],
      reading: new Map(),
      waiting: new Map(),
      keys: new Map(),
      listeners: new Set(),
      total: 0,
      saved: 0,
      known: 0,
      refused: 0,
      stopped: 0,
      clockSeen: null,
      snapshot: undefined,
    };
    rooms.set(surveyId, fresh);
    return fresh;
  }

  function tell(): void {
    telling = false;
    const now = [...changed];
    changed.clear();
    for (const room of now) room.snapshot = undefined;
    for (const room of now) for (const listener of [...room.listeners]) listener();
  }
  /** What a person did shows at once, what the queue did soon. */
  function note(room: Room, at: 'once' | 'soon'): void {
    changed.add(room);
    if (at === 'once') tell();
    else if (!telling) {
      telling = true;
      soon(tell);
    }
  }
  function noteAll(): void {
    for (const room of rooms.values()) changed.add(room);
    tell();
  }

  /** A file left the queue; with the last one the batch ends. Those that were stopped before count as never read. */
  function leave({ batch }: Ticket): void {
    if (batch === undefined) return;
    batch.left--;
    if (batch.left === 0)
      batch.handle
        .end()
        .catch((error: unknown) =>
          console.warn('What became of a batch could not be written down; its files will be asked for again.', error),
        );
  }

  function settle(ticket: Ticket, result: { readonly added: AddedPhotograph } | { readonly error: unknown }): void {
    const { room, key, name, stopped, batch, given } = ticket;
    room.reading.delete(key);
    if ('added' in result) batch?.handle.settle(given, { was: 'taken' });
    else if (!stopped) batch?.handle.settle(given, { was: 'left-out', why: asWire(result.error).message });
    leave(ticket);
    if ('added' in result) {
      const { id, sha256, outcome, detectedClock } = result.added;
      if (outcome === 'known') {
        room.known++;
        room.settled.push({ key, name, state: { status: 'known', id, sha256 } });
      } else {
        room.saved++;
        room.keys.set(id, key);
      }
      if (detectedClock !== undefined) room.clockSeen = { ...detectedClock, id };
    } else if (stopped) {
      room.stopped++;
    } else {
      room.refused++;
      room.settled.push({ key, name, state: { status: 'refused', error: asWire(result.error) } });
    }
    pace.note(elapsed());
    note(room, 'soon');
  }

  async function read(ticket: Ticket): Promise<void> {
    const { room, file, retakes, by, abort } = ticket;
    try {
      const added =
        retakes === undefined
          ? await images.addPhotograph(file, room.surveyId, abort.signal, by)
          : await images.retake(retakes, file, abort.signal, by);
      settle(ticket, { added });
    } catch (error) {
      settle(ticket, { error });
    }
  }

  function pump(): void {
    while (!isPaused && running < images.addConcurrency) {
      const ticket = queue.values().next().value;
      if (ticket === undefined) break;
      queue.delete(ticket.key);
      ticket.room.waiting.delete(ticket.key);
      ticket.room.reading.set(ticket.key, ticket);
      note(ticket.room, 'soon');
      running++;
      void read(ticket).finally(() => {
        running--;
        pump();
      });
    }
    const isBusy = running > 0 || queue.size > 0;
    if (isBusy) letGo ??= hold();
    else {
      letGo?.();
      letGo = undefined;
    }
  }

  function snapshotOf(room: Room): SurveyAdding {
    const { settled, reading, waiting, keys, total, saved, known, refused, stopped, clockSeen } = room;
    const items = [
      ...settled,
      ...Array.from(reading.values(), (ticket) => itemOf(ticket, READING)),
      ...Array.from(waiting.values(), (ticket) => itemOf(ticket, WAITING)),
    ];
    // The pace is that of the whole queue: what waits for another survey is worked off first.
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
      clockSeen,
      pace: pace.read(elapsed(), isPaused ? 0 : left),
    };
  }

  return {
    ofSurvey: (surveyId) => observe(roomOf(surveyId), snapshotOf),
    add(files, surveyId, { retakes, by, batch: handle, given } = {}) {
      const batch = handle === undefined ? undefined : { handle, left: files.length };
      const room = roomOf(surveyId);
      if (room.reading.size + room.waiting.size === 0) startAnew(room);
      if (queue.size + running === 0) pace.restart(elapsed());
      for (const [i, file] of files.entries()) {
        const key = nextKey++;
        const ticket: Ticket = {
          key,
          name: file.name,
          file,
          given: given?.[i] ?? file,
          room,
          retakes,
          by,
          batch,
          abort: new AbortController(),
          stopped: false,
        };
        queue.set(key, ticket);
        room.waiting.set(key, ticket);
      }
      room.total += files.length;
      pump();
      note(room, 'once');
    },
    pause() {
      isPaused = true;
      noteAll();
    },
    resume() {
      isPaused = false;
      pace.restart(elapsed());
      pump();
      noteAll();
    },
    stop(surveyId) {
      const room = roomOf(surveyId);
      room.stopped += room.waiting.size;
      for (const ticket of room.waiting.values()) {
        queue.delete(ticket.key);
        leave(ticket);
      }
      room.waiting.clear();
      for (const ticket of room.reading.values()) {
        ticket.stopped = true;
        ticket.abort.abort(new DOMException('A person stopped adding.', 'AbortError'));
      }
      if (queue.size === 0) isPaused = false;
      pump();
      note(room, 'once');
    },
    dismiss(surveyId) {
      const room = roomOf(surveyId);
      const isWorking = room.reading.size + room.waiting.size > 0;
      room.total -= room.settled.length;
      room.settled.length = 0;
      Object.assign(room, { known: 0, refused: 0 });
      if (!isWorking) startAnew(room);
      note(room, 'once');
    },
  };
}

const READING: AddingState = { status: 'reading' };
const WAITING: AddingState = { status: 'waiting' };

const itemsMade = new WeakMap<Ticket, AddingItem>();

/** The same object for the same state: its tile is not drawn again. */
function itemOf(ticket: Ticket, state: AddingState): AddingItem {
  const known = itemsMade.get(ticket);
  if (known?.state === state) return known;
  const made: AddingItem = { key: ticket.key, name: ticket.name, state };
  itemsMade.set(ticket, made);
  return made;
}

/** Counts begin again with the next batch; what was known or refused before stays, and is counted, until it is dismissed. */
function startAnew(room: Room): void {
  Object.assign(room, {
    total: room.settled.length,
    saved: 0,
    known: room.settled.filter(({ state }) => state.status === 'known').length,
    stopped: 0,
  });
  room.refused = room.settled.length - room.known;
}

const observables = new WeakMap<Room, Observable<SurveyAdding>>();

function observe(room: Room, read: (room: Room) => SurveyAdding): Observable<SurveyAdding> {
  const existing = observables.get(room);
  if (existing !== undefined) return existing;
  const made: Observable<SurveyAdding> = {
    get: () => (room.snapshot ??= read(room)),
    subscribe(listener) {
      room.listeners.add(listener);
      return () => room.listeners.delete(listener);
    },
  };
  observables.set(room, made);
  return made;
}

function asWire(error: unknown): WireError {
  if (error instanceof ReefError) return error.toWire();
  // A file on a card that was pulled out, or that another program holds: the browser throws its own error on reading it.
  return new ReefError('internal', {
    message: `It could not be read (${error instanceof Error ? error.message : String(error)}). It is not saved. Add it again.`,
  }).toWire();
}
