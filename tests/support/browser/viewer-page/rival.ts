/**
 * Naive drawing page: a canvas over the picture, a line to each sample. With `?matches`, the cover is computed as
 * specified (2§9: "canvas pixel colours matched to nearest category colour", "Throttle 25 ms"). `?size=` sets the
 * canvas, `?strokes=` the number of strokes already on it.
 */
import type { ClassColour } from '../../nearest-colour';
import { nearestClass } from '../../nearest-colour';
import { STROKE_COLOURS, handStrokes } from './strokes';
import type { PenTimes } from './timing';
import { stampsOf, watchFrames } from './timing';

const query = new URLSearchParams(location.search);
const [width = 0, height = 0] = (query.get('size') ?? '2000x1500').split('x').map(Number);
const THROTTLE_MS = 25;
const CLASSES = STROKE_COLOURS.map((rgb, index): ClassColour => ({ label: index + 1, rgb }));

const image = new Image();
image.src = `/files/${query.get('file') ?? 'reef.jpg'}`;
const canvas = document.createElement('canvas');
canvas.width = width;
canvas.height = height;
document.body.append(image, canvas);
await image.decode();
const context = canvas.getContext('2d', { willReadFrequently: query.has('matches') })!;
context.lineWidth = width / 80;
context.lineCap = context.lineJoin = 'round';
for (const { points, label } of handStrokes(Number(query.get('strokes') ?? 0))) {
  context.strokeStyle = `rgb(${STROKE_COLOURS[label - 1]!.join(' ')})`;
  context.beginPath();
  for (let at = 0; at < points.length; at += 2) context.lineTo(points[at]! * width, points[at + 1]! * height);
  context.stroke();
}
context.strokeStyle = `rgb(${STROKE_COLOURS[0]!.join(' ')})`;

const times: PenTimes = { latencies: [], samples: 0, frames: [] };
window.pen = times;
watchFrames(times);

/** Result of the last matching, exported so that no engine optimises it away. */
export const cover = new Float64Array(256);
function match(): void {
  const { data } = context.getImageData(0, 0, width, height);
  const counts = new Uint32Array(256);
  for (let at = 0; at < data.length; at += 4) {
    const label = nearestClass(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, CLASSES);
    counts[label] = counts[label]! + 1;
  }
  counts.forEach((count, label) => (cover[label] = count / (width * height)));
}

let matchedAt = -Infinity;
let isDue = false;
function matchSoon(): void {
  if (!query.has('matches') || isDue) return;
  const wait = matchedAt + THROTTLE_MS - performance.now();
  isDue = true;
  const now = (): void => {
    isDue = false;
    match();
    matchedAt = performance.now();
  };
  if (wait <= 0) now();
  else setTimeout(now, wait);
}

let waiting: number[] = [];
function shown(stamps: readonly number[]): void {
  times.samples += stamps.length;
  if (waiting.length === 0)
    requestAnimationFrame(() => {
      const now = performance.now();
      for (const stamp of waiting) times.latencies.push(now - stamp);
      waiting = [];
    });
  waiting.push(...stamps);
}

const place = ({ offsetX, offsetY }: PointerEvent): [number, number] => [
  (offsetX / canvas.clientWidth) * width,
  (offsetY / canvas.clientHeight) * height,
];
let last: [number, number] = [0, 0];
canvas.addEventListener('pointerdown', (event) => {
  last = place(event);
  shown([event.timeStamp]);
});
canvas.addEventListener('pointermove', (event) => {
  if (event.buttons !== 1) return;
  context.beginPath();
  context.moveTo(...last);
  const all = event.getCoalescedEvents();
  for (const each of all.length > 0 ? all : [event])
    context.lineTo(
      ...(last = [((each.clientX - 43) / canvas.clientWidth) * width, (each.clientY / canvas.clientHeight) * height]),
    );
  context.stroke();
  shown(stampsOf(event));
  matchSoon();
});
document.title = 'ready';
