import { Emitter } from '../../base/emitter';
import type { TracingSnapshot, TracingSession } from './tracing.api';
import type { TracingCommand } from './tracing-commands';
import { ReplayState, finiteSamples, joinSamples } from './tracing-commands';
import type { StartHost, TracingHost } from './tracing-host';
import { canPaintInWorker, pageHost, workerHost } from './tracing-host';

/** Crashes within a time, ms, after which the worker is not tried again. */
const CRASHES_MAX = 3;
const CRASHES_WITHIN_MS = 60_000;

/** Interval of notifications during a stroke, ms. Not per frame: only the worker has something to render. */
const NOTIFY_EVERY_MS = 33;

const FALLBACK_WARNING =
  'Painting crashed several times and now runs in a simpler mode. Your marks are safe. The pen may follow more slowly.';

export function openTracing(): TracingSession {
  return tracingSession(canPaintInWorker() ? [workerHost, pageHost] : [pageHost], () => performance.now());
}

interface Job {
  command: TracingCommand;
  readonly resolve: (answer: TracingSnapshot | Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs a session over engines that may crash.
 * @param hostStarters in order of preference; the last one is final
 * @param now ms
 */
export function tracingSession(hostStarters: readonly StartHost[], now: () => number): TracingSession {
  const replayState = new ReplayState();
  const queue: Job[] = [];
  const changed = new Emitter();
  let starterIndex = 0;
  let crashes: number[] = [];
  let isWorking = false;
  let currentJob: Job | undefined;
  let isClosed = false;
  let isNotifyScheduled = false;
  let isCurrent = true;
  let revision = 0;
  let snapshot: TracingSnapshot | null = null;
  let warning: string | null = null;
  let host = startHost();

  /** Throttled during a stroke: samples arrive every few ms, and listeners may re-render. */
  function scheduleNotify(): void {
    if (isNotifyScheduled) return;
    isNotifyScheduled = true;
    setTimeout(() => {
      isNotifyScheduled = false;
      changed.emit();
    }, NOTIFY_EVERY_MS);
  }

  function startHost(): TracingHost {
    const begin = hostStarters[starterIndex];
    if (begin === undefined) throw new Error('Painting is not available.');
    const started: TracingHost = begin(() => {
      if (host === started) replaceHost();
    });
    return started;
  }

  /** Replays the work so far before anything else. */
  function replaceHost(): void {
    if (isClosed) return;
    host.stop();
    crashes = [...crashes.filter((at) => now() - at < CRASHES_WITHIN_MS), now()];
    if (crashes.length >= CRASHES_MAX && starterIndex < hostStarters.length - 1) {
      starterIndex += 1;
      crashes = [];
      warning = FALLBACK_WARNING;
    }
    host = startHost();
    isCurrent = false;
    changed.emit();
    void drainQueue();
  }

  async function run(command: TracingCommand): Promise<TracingSnapshot | Uint8Array> {
    const answer = await host.run(command);
    return answer instanceof Uint8Array ? answer : recordAnswer(answer);
  }

  function recordAnswer(answer: TracingSnapshot): TracingSnapshot {
    revision += 1;
    snapshot = { ...answer, revision };
    return snapshot;
  }

  async function runWithRecovery(command: TracingCommand | null): Promise<TracingSnapshot | Uint8Array | null> {
    for (let tries = 0; ; tries++) {
      const current = host;
      try {
        if (!isCurrent) {
          if (command?.kind !== 'begin') for (const before of replayState.replay()) await run(before);
          isCurrent = host === current;
        }
        return command === null ? null : await run(command);
      } catch (error) {
        if (isClosed) throw closedError();
        // A size that no raster can have; the engine is fine.
        if (command?.kind === 'begin' && error instanceof Error && error.name === 'RangeError' && host === current)
          throw error instanceof RangeError ? error : new RangeError(error.message);
        if (tries >= CRASHES_MAX * 2) throw error;
        if (host === current) replaceHost();
      }
    }
  }

  async function drainQueue(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    try {
      while (!isClosed && (queue.length > 0 || !isCurrent)) {
        // Dequeued only now: until then samples are merged into a waiting stroke.
        const job = (currentJob = queue.shift());
        if (job === undefined) {
          await runWithRecovery(null);
          changed.emit();
          continue;
        }
        try {
          const answer = await runWithRecovery(job.command);
          replayState.record(job.command);
          if (answer !== null) job.resolve(answer);
          if (job.command.kind === 'draw') scheduleNotify();
          else changed.emit();
        } catch (error) {
          job.reject(error);
        }
      }
    } catch (error) {
      // Even a fresh engine on the page failed to replay; the next command retries and reports to its caller.
      console.error('Painting could not be resumed:', error);
    } finally {
      isWorking = false;
    }
  }

  function enqueue<Answer extends TracingSnapshot | Uint8Array>(command: TracingCommand): Promise<Answer> {
    if (isClosed) return Promise.reject(closedError());
    return new Promise<Answer>((resolve, reject) => {
      queue.push({ command, resolve: (answer) => resolve(answer as Answer), reject });
      void drainQueue();
    });
  }

  return {
    get canvas() {
      return host.canvas;
    },
    get runsIn() {
      return host.runsIn;
    },
    get snapshot() {
      return snapshot;
    },
    get warning() {
      return warning;
    },
    subscribe: changed.subscribe,
    begin: (setting, marks, undone = []) => enqueue({ kind: 'begin', setup: setting, marks, undone }),
    draw(samples, label) {
      const points = finiteSamples(samples);
      const last = queue.at(-1);
      if (last?.command.kind === 'draw' && last.command.label === label)
        last.command = { kind: 'draw', points: joinSamples(last.command.points, points), label };
      else
        enqueue({ kind: 'draw', points, label }).catch((error: unknown) => {
          if (!isClosed) console.error('A stroke could not be shown while it was drawn:', error);
        });
    },
    discardStroke: () => enqueue({ kind: 'discardStroke' }),
    apply: (edit) => enqueue(edit),
    labels: () => enqueue({ kind: 'labels' }),
    close() {
      if (isClosed) return;
      isClosed = true;
      host.stop();
      changed.clear();
      for (const job of [...(currentJob === undefined ? [] : [currentJob]), ...queue.splice(0)])
        job.reject(closedError());
    },
  };
}

const closedError = (): DOMException => new DOMException('Tracing has ended.', 'AbortError');
