import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

/** Image matrix of OpenCV, with the parts that are used here. */
interface Mat {
  readonly data32S: Int32Array;
  delete(): void;
}

interface OpenCv {
  readonly Mat: { new (): Mat; zeros(rows: number, columns: number, type: number): Mat };
  readonly CV_8UC4: number;
  readonly CV_32S: number;
  readonly COLOR_RGBA2RGB: number;
  matFromArray(rows: number, columns: number, type: number, data: Uint8Array): Mat;
  cvtColor(from: Mat, to: Mat, how: number): void;
  watershed(picture: Mat, markers: Mat): void;
  onRuntimeInitialized?: () => void;
}

// OpenCV's watershed of the raw picture of PICTURE (RGBA, WIDTH × HEIGHT) for each message, from a grid of markers, as
// many as a picture has outlines. Its result is a raster: outlines, classes and sizes are left out.
const [width, height] = [Number(process.env['WIDTH']), Number(process.env['HEIGHT'])];
const data = new Uint8Array(readFileSync(process.env['PICTURE']!));
const [COLUMNS, ROWS] = [12, 9];
const cv = createRequire(import.meta.url)('@techstark/opencv-js') as OpenCv;

function segment(): number {
  const rgba = cv.matFromArray(height, width, cv.CV_8UC4, data);
  const rgb = new cv.Mat();
  cv.cvtColor(rgba, rgb, cv.COLOR_RGBA2RGB);
  const markers = cv.Mat.zeros(height, width, cv.CV_32S);
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < COLUMNS; column++)
      markers.data32S[
        Math.floor(((row + 0.5) * height) / ROWS) * width + Math.floor(((column + 0.5) * width) / COLUMNS)
      ] = row * COLUMNS + column + 1;
  cv.watershed(rgb, markers);
  for (const mat of [rgba, rgb, markers]) mat.delete();
  return ROWS * COLUMNS;
}

cv.onRuntimeInitialized = () => {
  process.on('message', () => {
    const started = process.hrtime.bigint();
    const cpu = process.cpuUsage();
    const regions = segment();
    const { user, system } = process.cpuUsage(cpu);
    process.send!({
      regions,
      seconds: Number(process.hrtime.bigint() - started) / 1e9,
      cpuSeconds: (user + system) / 1e6,
    });
  });
  process.send!({ ready: {} });
};
