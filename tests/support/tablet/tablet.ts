import type { ReportEnvironment } from '../../../src/platform/error-report';
import type { TabletHost } from '../../../src/platform/host';
import type { Tablet } from '../../../src/data/tablet';
import { openTablet } from '../../../src/data/tablet';
import type { PictureSegmenter } from '../../../src/workers/segmentation/segmentation.api';
import type { PhotographReader } from '../../../src/workers/photograph/photograph.api';
import { cameraFacts } from '../../../src/workers/photograph/camera-facts';
import { mediaTypeOf } from '../../../src/workers/photograph/media-type';
import type { NodeHostOptions, Origin } from './tablet-host';
import { newOrigin, nodeHost } from './tablet-host';

export { ManualClock, InMemoryLocks, newOrigin, nodeHost, quiet } from './tablet-host';
export type { NodeHostOptions, Origin } from './tablet-host';

/** Reads a photograph in Node: hash, first bytes and EXIF as in the browser, no preview. */
export function nodePhotographs(host: TabletHost): PhotographReader {
  return {
    concurrency: 2,
    read: async (file) => {
      const type = mediaTypeOf(new Uint8Array(await file.slice(0, 64).arrayBuffer()), file.size);
      return {
        sha256: await host.sha256(file),
        bytes: file.size,
        type,
        size: null,
        camera: await cameraFacts(new Uint8Array(await file.arrayBuffer())),
        preview: { state: 'none', reason: 'failed' },
      };
    },
  };
}

export interface TestTabletOptions extends NodeHostOptions {
  readonly name?: string;
  readonly database?: string;
  readonly servedBy?: string;
  /** Rest between rounds in which the read model is written, as in a browser. */
  readonly projectingRestMs?: number;
  /** Environment of its error reports; absent: off. */
  readonly reports?: () => ReportEnvironment;
  /** Maker of outlines; absent: none. */
  readonly segmenter?: PictureSegmenter;
}

let opened = 0;

/** Opens a tablet with the production code on fake-indexeddb; one process may run several, each with its own origin. */
export async function openTestTablet(
  options: TestTabletOptions = {},
): Promise<Tablet & { host: TabletHost; origin: Origin; database: string }> {
  const origin = options.origin ?? newOrigin();
  const host = nodeHost({ ...options, origin });
  const database = options.database ?? `tablet-${process.pid}-${opened++}`;
  const tablet = await openTablet({
    host,
    photographs: nodePhotographs(host),
    name: options.name ?? 'Test tablet',
    appVersion: '0.1.0',
    database,
    ...(options.servedBy === undefined ? {} : { servedBy: options.servedBy }),
    ...(options.reports === undefined ? {} : { reports: { surroundings: options.reports } }),
    ...(options.segmenter === undefined ? {} : { segmenter: options.segmenter }),
    ...(options.projectingRestMs === undefined ? {} : { projectingRestMs: options.projectingRestMs }),
  });
  return { ...tablet, host, origin, database };
}

/** Waits for a value of live data. The limit ends a hang before the test's own does, and names it. */
export async function until<Value>(
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  what: string,
  ms = 45_000,
): Promise<Value> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Small JPEG-like photograph of a given size: right first and last bytes, the rest from a seed. */
export function photograph(seed: number, bytes = 200_000, name = `IMG_${seed}.jpg`): File {
  const content = new Uint8Array(bytes);
  let state = (seed * 2654435761 + 1) >>> 0;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content[i] = state >>> 24;
  }
  content.set([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00], 0);
  content.set([0xff, 0xd9], bytes - 2);
  return new File([content], name, { type: 'image/jpeg', lastModified: Date.parse('2026-11-20T01:02:03Z') });
}
