import { expose } from 'comlink';
import type { TracingEngine, TracingWorkerApi } from './tracing.api';
import { CANVAS_LOST } from './tracing.api';
import { canvasSurface, createTracingEngine } from './tracing-engine';

let engine: TracingEngine | undefined;

function attached(): TracingEngine {
  if (engine === undefined) throw new Error('The worker has nothing to paint on.');
  return engine;
}

const api: TracingWorkerApi = {
  async attach(canvas, lock) {
    engine = createTracingEngine(canvasSurface(canvas));
    canvas.addEventListener('contextlost', () => postMessage(CANVAS_LOST));
    if ((navigator as Partial<Navigator>).locks === undefined) return;
    // Held until this worker ends, however it ends; the page waits for the lock to notice.
    await new Promise<void>((held) => void navigator.locks.request(lock, () => new Promise<never>(() => held())));
  },
  begin: (setting, marks, undone) => attached().begin(setting, marks, undone),
  draw: (points, label) => attached().draw(points, label),
  discardStroke: () => attached().discardStroke(),
  apply: (edit) => attached().apply(edit),
  labels: () => attached().labels(),
};

expose(api);
