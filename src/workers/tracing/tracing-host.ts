import { releaseProxy, transfer, wrap } from 'comlink';
import type { Remote } from 'comlink';
import type { TracingSnapshot, TracingWorkerApi } from './tracing.api';
import { CANVAS_LOST } from './tracing.api';
import type { TracingCommand } from './tracing-commands';
import { executeCommand } from './tracing-commands';
import { canvasSurface, createTracingEngine } from './tracing-engine';

export interface TracingHost {
  readonly canvas: HTMLCanvasElement;
  readonly runsIn: 'worker' | 'page';
  /** Runs one command at a time. @throws errors of the engine; {@link WorkerCrashed} if it crashed */
  readonly run: (command: TracingCommand) => Promise<TracingSnapshot | Uint8Array>;
  readonly stop: () => void;
}

/** Starts an engine. @param onBroke called once, when it or its canvas is lost */
export type StartHost = (onBroke: () => void) => TracingHost;

/** Thrown when engine or canvas is lost; the fate of its command is unknown. */
export class WorkerCrashed extends Error {}

/**
 * Time limit of a command, ms: thousands of strokes on a slow tablet take some seconds. Without Web Locks only a
 * timeout shows that a worker was terminated.
 */
const COMMAND_TIMEOUT_MS = 30_000;

export function canPaintInWorker(): boolean {
  return (
    typeof Worker === 'function' &&
    typeof OffscreenCanvas === 'function' &&
    'transferControlToOffscreen' in HTMLCanvasElement.prototype &&
    new OffscreenCanvas(1, 1).getContext('2d') !== null
  );
}

/** Runs an engine in a worker. @param start starts the worker, which exposes a {@link TracingWorkerApi} */
export const workerHostOf =
  (start: () => Worker): StartHost =>
  (onBroke) => {
    const canvas = document.createElement('canvas');
    const worker = start();
    const api: Remote<TracingWorkerApi> = wrap<TracingWorkerApi>(worker);
    const ended = new AbortController();
    /** Rejects the pending command. */
    let refuse: ((error: Error) => void) | undefined;
    let askedAt: number | undefined;
    // One interval for all commands: a timer per pen sample would cost more than the sample.
    const patience = setInterval(() => {
      if (askedAt !== undefined && performance.now() - askedAt > COMMAND_TIMEOUT_MS) broke();
    }, COMMAND_TIMEOUT_MS / 4);
    const stop = (): void => {
      if (ended.signal.aborted) return;
      ended.abort();
      clearInterval(patience);
      api[releaseProxy]();
      worker.terminate();
      refuse?.(new WorkerCrashed('Painting has ended.'));
    };
    const broke = (): void => {
      if (ended.signal.aborted) return;
      stop();
      onBroke();
    };
    worker.addEventListener('error', broke);
    worker.addEventListener('messageerror', broke);
    worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data === CANVAS_LOST) broke();
    });
    const lock = `tracing-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    const offscreen = canvas.transferControlToOffscreen();
    const attached = api.attach(transfer(offscreen, [offscreen]), lock).then(() => {
      // Granted when the worker is gone: a terminated worker sends no message.
      (navigator as Partial<Navigator>).locks
        ?.request(lock, { signal: ended.signal }, broke)
        .catch((error: unknown) => {
          if (!ended.signal.aborted) console.warn('A crash of the painting worker may not be noticed at once:', error);
        });
    });
    attached.catch(broke);
    return {
      canvas,
      runsIn: 'worker',
      run: (command) =>
        // No race against a shared promise: each pen sample would leave a listener on it.
        new Promise((resolve, reject) => {
          if (ended.signal.aborted) return reject(new WorkerCrashed('Painting has ended.'));
          refuse = reject;
          askedAt = performance.now();
          attached
            .then(() => executeCommand(api, command))
            .then(resolve, reject)
            .finally(() => (askedAt = undefined));
        }),
      stop,
    };
  };

export const workerHost = workerHostOf(
  () => new Worker(new URL('./tracing.worker.ts', import.meta.url), { type: 'module', name: 'tracing' }),
);

export const pageHost: StartHost = (onBroke) => {
  const canvas = document.createElement('canvas');
  const engine = createTracingEngine(canvasSurface(canvas));
  let isOver = false;
  canvas.addEventListener('contextlost', () => {
    if (isOver) return;
    isOver = true;
    onBroke();
  });
  return {
    canvas,
    runsIn: 'page',
    run: async (command) => {
      if (isOver) throw new WorkerCrashed('The canvas was lost.');
      return executeCommand(engine, command);
    },
    stop: () => (isOver = true),
  };
};
