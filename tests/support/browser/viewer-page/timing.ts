import type { TracingSession } from '../../../../src/workers/tracing/tracing.api';
import type { StartHost } from '../../../../src/workers/tracing/tracing-host';
import { workerHostOf } from '../../../../src/workers/tracing/tracing-host';
import { tracingSession } from '../../../../src/workers/tracing/tracing-session';

/** How a pen fared on a page. Times in ms. */
export interface PenTimes {
  /** Of each sample: from the moment the browser got it until the frame that shows it. */
  readonly latencies: number[];
  /** Samples received by the page. */
  samples: number;
  /** Between two frames of the page. */
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

/** All samples of an event, by when the browser got them. */
export const stampsOf = (event: PointerEvent): readonly number[] => {
  const all = event.getCoalescedEvents();
  return (all.length > 0 ? all : [event]).map(({ timeStamp }) => timeStamp);
};

/** A session over the app's own worker, whose paintings are timed. */
export function timedTracing(slowDown: number): TracingSession {
  const times: PenTimes = { latencies: [], samples: 0, frames: [] };
  window.pen = times;
  watchFrames(times);
  /** Samples that were not given to the engine yet, and what the engine was given, by the painting that shows it. */
  const given: number[] = [];
  const painting = new Map<number, number[]>();
  /** The beginning of a picture is the first painting; each `draw` is one more. */
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
