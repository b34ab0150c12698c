import type { Standing, TracingSession } from './tracing.api';
import type { TracingCommand } from './tracing-commands';
import { KeptWork, finite, joined } from './tracing-commands';
import type { StartHost, TracingHost } from './tracing-host';
import { canPaintInWorker, pageHost, workerHost } from './tracing-host';

/** So many breakdowns within this time, ms, and the worker is not tried again. */
const BREAKS_MAX = 3;
const BREAKS_WITHIN_MS = 60_000;

/** How often listeners hear of a stroke in hand, ms. No frame is asked for: none but the worker has something to show. */
const TELL_EVERY_MS = 33;

const TROUBLES =
  'Painting broke down several times and now goes on in a simpler way. Your marks are kept; the pen may follow more slowly.';

/** Begins tracing: in a worker where the browser can, else on the page. */
export function openTracing(): TracingSession {
  return tracingSession(canPaintInWorker() ? [workerHost, pageHost] : [pageHost], () => performance.now());
}

interface Job {
  command: TracingCommand;
  readonly resolve: (answer: Standing | Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A session over engines that may die.
 *
 * @param ways to run an engine, the best first; the last one is kept to
 * @param now ms, for how quickly they break
 */
export function tracingSession(ways: readonly StartHost[], now: () => number): TracingSession {
  const kept = new KeptWork();
  const queue: Job[] = [];
  const listeners = new Set<() => void>();
  let way = 0;
  let breaks: number[] = [];
  let isAtWork = false;
  let inHand: Job | undefined;
  let isClosed = false;
  let isTelling = false;
  /** The host was brought to where the work stands. */
  let isCurrent = true;
  let turn = 0;
  let standing: Standing | null = null;
  let troubles: string | null = null;
  let host = start();

  function tell(): void {
    for (const listener of [...listeners]) listener();
  }

  /** While the pen moves, some times a second: a sample of it comes every few ms, and who listens may render for it. */
  function tellSoon(): void {
    if (isTelling) return;
    isTelling = true;
    setTimeout(() => {
      isTelling = false;
      tell();
    }, TELL_EVERY_MS);
  }

  function start(): TracingHost {
    const begin = ways[way];
    if (begin === undefined) throw new Error('There is no way to paint.');
    const started: TracingHost = begin(() => {
      if (host === started) replace();
    });
    return started;
  }

  /** Another engine and canvas; what was done so far is done again before anything else. */
  function replace(): void {
    if (isClosed) return;
    host.stop();
    breaks = [...breaks.filter((at) => now() - at < BREAKS_WITHIN_MS), now()];
    if (breaks.length >= BREAKS_MAX && way < ways.length - 1) {
      way += 1;
      breaks = [];
      troubles = TROUBLES;
    }
    host = start();
    isCurrent = false;
    tell();
    void work();
  }

  async function run(command: TracingCommand): Promise<Standing | Uint8Array> {
    const answer = await host.run(command);
    return answer instanceof Uint8Array ? answer : note(answer);
  }

  /** Turns go on over several engines. */
  function note(answer: Standing): Standing {
    turn += 1;
    standing = { ...answer, turn };
    return standing;
  }

  /** Carries a command out, on as many engines as it takes. */
  async function carry(command: TracingCommand | null): Promise<Standing | Uint8Array | null> {
    for (let tries = 0; ; tries++) {
      const current = host;
      try {
        if (!isCurrent) {
          if (command?.do !== 'begin') for (const before of kept.replay()) await run(before);
          isCurrent = host === current;
        }
        return command === null ? null : await run(command);
      } catch (error) {
        if (isClosed) throw closedError();
        // A size that no raster can have; the engine is well.
        if (command?.do === 'begin' && error instanceof Error && error.name === 'RangeError' && host === current)
          throw error instanceof RangeError ? error : new RangeError(error.message);
        if (tries >= BREAKS_MAX * 2) throw error;
        if (host === current) replace();
      }
    }
  }

  async function work(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    try {
      while (!isClosed && (queue.length > 0 || !isCurrent)) {
        // Taken off only now: until then samples are put to a stroke that waits.
        const job = (inHand = queue.shift());
        if (job === undefined) {
          await carry(null);
          tell();
          continue;
        }
        try {
          const answer = await carry(job.command);
          kept.note(job.command);
          if (answer !== null) job.resolve(answer);
          if (job.command.do === 'draw') tellSoon();
          else tell();
        } catch (error) {
          job.reject(error);
        }
      }
    } catch (error) {
      // Not even a fresh engine on the page could be brought there; the next command tries again, and says so to its caller.
      console.error('Painting could not be taken up again:', error);
    } finally {
      isAtWork = false;
    }
  }

  function ask<Answer extends Standing | Uint8Array>(command: TracingCommand): Promise<Answer> {
    if (isClosed) return Promise.reject(closedError());
    return new Promise<Answer>((resolve, reject) => {
      queue.push({ command, resolve: (answer) => resolve(answer as Answer), reject });
      void work();
    });
  }

  return {
    get canvas() {
      return host.canvas;
    },
    get runsIn() {
      return host.runsIn;
    },
    get standing() {
      return standing;
    },
    get troubles() {
      return troubles;
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    begin: (setting, marks, undone = []) => ask({ do: 'begin', setting, marks, undone }),
    draw(samples, label) {
      const points = finite(samples);
      const last = queue.at(-1);
      if (last?.command.do === 'draw' && last.command.label === label)
        last.command = { do: 'draw', points: joined(last.command.points, points), label };
      else
        ask({ do: 'draw', points, label }).catch((error: unknown) => {
          if (!isClosed) console.error('A stroke could not be shown while it was drawn:', error);
        });
    },
    giveUp: () => ask({ do: 'giveUp' }),
    add: (mark) => ask({ do: 'add', mark }),
    undo: () => ask({ do: 'undo' }),
    redo: () => ask({ do: 'redo' }),
    clear: () => ask({ do: 'clear' }),
    labels: () => ask({ do: 'labels' }),
    close() {
      if (isClosed) return;
      isClosed = true;
      host.stop();
      listeners.clear();
      for (const job of [...(inHand === undefined ? [] : [inHand]), ...queue.splice(0)]) job.reject(closedError());
    },
  };
}

const closedError = (): DOMException => new DOMException('Tracing was ended.', 'AbortError');
