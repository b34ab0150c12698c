import { Emitter } from '../../base/emitter';
import type { TracingSnapshot, TracingSession } from './tracing.api';
import type { TracingCommand } from './tracing-commands';
import { ReplayState, finiteSamples, joinSamples } from './tracing-commands';
import { CRASHES_MAX, HostSupervisor } from './host-supervisor';
import type { StartHost } from './tracing-host';
import { canPaintInWorker, pageHost, workerHost } from './tracing-host';

/** Interval of notifications during a stroke, ms. Not per frame: only the worker has something to render. */
const NOTIFY_EVERY_MS = 33;

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
  let isWorking = false;
  let currentJob: Job | undefined;
  let isClosed = false;
  let isNotifyScheduled = false;
  let isCurrent = true;
  let revision = 0;
  let snapshot: TracingSnapshot | null = null;
  const supervisor = new HostSupervisor(hostStarters, now, () => {
    isCurrent = false;
    changed.emit();
    void drainQueue();
  });

  /** Throttled during a stroke: samples arrive every few ms, and listeners may re-render. */
  function scheduleNotify(): void {
    if (isNotifyScheduled) return;
    isNotifyScheduled = true;
    setTimeout(() => {
      isNotifyScheduled = false;
      changed.emit();
    }, NOTIFY_EVERY_MS);
  }

  async function run(command: TracingCommand): Promise<TracingSnapshot | Uint8Array> {
    const answer = await supervisor.host.run(command);
    return answer instanceof Uint8Array ? answer : recordAnswer(answer);
  }

  function recordAnswer(answer: TracingSnapshot): TracingSnapshot {
    revision += 1;
    snapshot = { ...answer, revision };
    return snapshot;
  }

  async function runWithRecovery(command: TracingCommand | null): Promise<TracingSnapshot | Uint8Array | null> {
    for (let tries = 0; ; tries++) {
      const current = supervisor.host;
      try {
        if (!isCurrent) {
          if (command?.kind !== 'begin') for (const before of replayState.replay()) await run(before);
          isCurrent = supervisor.host === current;
        }
        return command === null ? null : await run(command);
      } catch (error) {
        if (isClosed) throw closedError();
        // A size that no raster can have; the engine is fine.
        if (
          command?.kind === 'begin' &&
          error instanceof Error &&
          error.name === 'RangeError' &&
          supervisor.host === current
        )
          throw error instanceof RangeError ? error : new RangeError(error.message);
        if (tries >= CRASHES_MAX * 2) throw error;
        supervisor.replace(current);
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
      return supervisor.host.canvas;
    },
    get runsIn() {
      return supervisor.host.runsIn;
    },
    get snapshot() {
      return snapshot;
    },
    get warning() {
      return supervisor.warning;
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
      supervisor.stop();
      changed.clear();
      for (const job of [...(currentJob === undefined ? [] : [currentJob]), ...queue.splice(0)])
        job.reject(closedError());
    },
  };
}

const closedError = (): DOMException => new DOMException('Tracing has ended.', 'AbortError');
