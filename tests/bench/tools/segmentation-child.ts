import { readFileSync } from 'node:fs';
import { segmentPicture } from '../../../src/imaging/segmentation/segment-picture';

// Segments the raw picture of PICTURE (RGBA, WIDTH × HEIGHT) once for each message, with the sizes that a region has by
// default.
const [width, height] = [Number(process.env['WIDTH']), Number(process.env['HEIGHT'])];
const data = new Uint8ClampedArray(readFileSync(process.env['PICTURE']!));

process.on('message', () => {
  const started = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  const regions = segmentPicture(data, width, height, { minSize: 0.007, maxSize: 1 }).outlines.length;
  const { user, system } = process.cpuUsage(cpu);
  process.send!({
    regions,
    seconds: Number(process.hrtime.bigint() - started) / 1e9,
    cpuSeconds: (user + system) / 1e6,
  });
});
process.send!({ ready: {} });
