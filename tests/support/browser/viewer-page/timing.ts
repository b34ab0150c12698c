import type { TracingSession } from '../../../../src/workers/tracing/tracing.api';
import type { StartHost } from '../../../../src/workers/tracing/tracing-host';
import { workerHostOf } from '../../../../src/workers/tracing/tracing-host';
import { tracingSession } from '../../../../src/workers/tracing/tracing-session';

/** Performance of a pen on a page. Times in ms. */
export interface PenTimes {
  /** Delay per sample, from its arrival in the browser to the frame that shows it. */
  readonly latencies: number[];
  /** Samples received by the page. */
  samples: number;
  /** Time between two frames of the page. */
  readonly frames: number[];
}

declare global {
  interface Window {
    pen: PenTimes;
  }
}

/** Frames of the page during its lifetime. */
export function watchFrames(times: PenTimes): void {
  let before = performance.now();
  const frame = (): void => {
    const now = performance.now();
    times.frames.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Arrival times of all samples of an event. */
export const stampsOf = (event: PointerEvent): readonly number[] => {
  const all = event.getCoalescedEvents();
  return (all.length > 0 ? all : [event]).map(({ timeStamp }) => timeStamp);
};

/** Session over the app's own worker, whose paintings are timed. */
export function timedTracing(slowDown: number): TracingSession {
  const times: PenTimes = { latencies: [], samples: 0, frames: [] };
  window.pen = times;
  watchFrames(times);
  /** Samples not yet sent to the engine, and those sent, by the painting that shows them. */
  const given: number[] = [];
  const painting = new Map<number, number[]>();
  /** The first painting begins a picture; each `draw` adds one. */
  let draws = 0;
  const isOnPicture = (event: Event): boolean =>
    event.target instanceof Element && event.target.closest('canvas, [data-hand]') !== null;
  const take = (event: PointerEvent): void => {
    if (event.buttons !== 1 || !isOnPicture(event)) return;
    const stamps = event.type === 'pointerdown' ? [event.timeStamp] : stampsOf(event);
    given.push(...stamps);
    times.samples += stamps.length;
  };
  window.addEventListener('pointerdown', take, { capture: true });
  window.addEventListener('pointerrawupdate', (event) => take(event as PointerEvent), { capture: true });
  const start: StartHost = (onBroke) => {
    const worker = new Worker(new URL('./timed.worker.ts', import.meta.url), {
      type: 'module',
      name: String(slowDown),
    });
    worker.addEventListener('message', ({ data }: MessageEvent<{ painted?: number; at?: number }>) => {
      const { painted, at } = data;
      if (painted === undefined || at === undefined) return;
      for (const [put, stamps] of [...painting]) {
        if (put > painted) continue;
        painting.delete(put);
        for (const stamp of stamps) times.latencies.push(at - (performance.timeOrigin + stamp));
      }
    });
    const host = workerHostOf(() => worker)(onBroke);
    return {
      ...host,
      run: (command) => {
        if (command.kind === 'draw') painting.set(1 + ++draws, given.splice(0, command.points.length / 2));
        return host.run(command);
      },
    };
  };
  return tracingSession([start], () => performance.now());
}
