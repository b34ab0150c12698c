/**
 * Tracing worker unchanged, on a tablet that is `self.name` times slower (DevTools slows only the page's thread);
 * reports when a frame shows what it painted.
 */
const SLOW_DOWN = Number(self.name);
let began = 0;
let puts = 0;
let isWaiting = false;

// Registered before the worker's own listener, so it knows when a call came in.
self.addEventListener('message', () => (began = performance.now()));
const post = self.postMessage.bind(self) as (message: unknown) => void;
self.postMessage = ((...args: Parameters<typeof post>) => {
  const until = performance.now() + (SLOW_DOWN - 1) * (performance.now() - began);
  while (performance.now() < until);
  post(...args);
}) as typeof self.postMessage;

const put = OffscreenCanvasRenderingContext2D.prototype.putImageData;
OffscreenCanvasRenderingContext2D.prototype.putImageData = function (...args: unknown[]) {
  put.apply(this, args as Parameters<typeof put>);
  puts += 1;
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    post({ painted: puts, at: performance.timeOrigin + performance.now() });
  });
};

export {};
