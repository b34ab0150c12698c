import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Feature that one of the engines lacks at its floor (`src/platform/engine-floors.ts`). */
export interface NewerApi {
  /** Spelling in the built files: names of the platform are not shortened. */
  readonly written: RegExp;
  /** Engines that lack it, from the compatibility data of MDN. */
  readonly lacking: string;
  /** Way of the app without it; absent: it must not be used. */
  readonly instead?: string;
}

/** Features that came after the floors and that code of today is tempted to use. */
export const NEWER_APIS: readonly NewerApi[] = [
  { written: /AbortSignal\.any\b/, lacking: 'Safari < 17.4' },
  { written: /Promise\.withResolvers\b/, lacking: 'Safari < 17.4' },
  { written: /\b(?:Object|Map)\.groupBy\b/, lacking: 'Safari < 17.4' },
  { written: /Promise\.try\b/, lacking: 'Firefox < 134, Safari < 18.2' },
  { written: /\bIterator\.(?:from|prototype|concat)\b/, lacking: 'Firefox < 131, Safari < 18.4' },
  { written: /RegExp\.escape\b/, lacking: 'Firefox < 134, Safari < 18.2' },
  {
    written: /\.(?:keys|values|entries)\(\)\.(?:map|filter|some|every|find|reduce|toArray|flatMap|take|drop)\(/,
    lacking: 'Firefox < 131, Safari < 18.4',
  },
  { written: /\.bytes\(\)/, lacking: 'Safari < 18' },
  { written: /\.toHex\(\)|\bfromHex\b/, lacking: 'Chrome < 140, Firefox < 133, Safari < 18.2' },
  { written: /\bURL\.parse\(/, lacking: 'Safari < 18' },
  { written: /\bFloat16Array\b/, lacking: 'Safari < 18.2' },
  { written: /\bDurationFormat\b/, lacking: 'Firefox < 136' },
  { written: /\bError\.isError\b/, lacking: 'Firefox < 138, Safari < 26' },
  { written: /\bURLPattern\b/, lacking: 'Firefox < 142, Safari < 26' },
  { written: /\bReadableStream\.from\b/, lacking: 'Chrome, Safari' },
  { written: /\bmoveBefore\b/, lacking: 'Firefox < 144, Safari' },
  { written: /\bCloseWatcher\b/, lacking: 'Firefox < 149, Safari' },
  { written: /getCoalescedEvents/, lacking: 'Safari < 18.2', instead: 'src/features/picture-viewer/pointers.ts' },
  { written: /pointerrawupdate/, lacking: 'Safari', instead: 'src/features/picture-viewer/pointers.ts' },
  { written: /\bBarcodeDetector\b/, lacking: 'Firefox, Safari', instead: 'a worker reads codes' },
  { written: /\bshowSaveFilePicker\b/, lacking: 'Firefox, Safari', instead: 'src/platform/save-file.ts' },
  { written: /\bImageDecoder\b/, lacking: 'Firefox < 133, Safari < 26', instead: 'createImageBitmap' },
  { written: /\bvibrate\b/, lacking: 'Firefox, Safari', instead: 'nothing vibrates' },
  { written: /\bfromBase64\b/, lacking: 'Chrome < 140, Firefox < 133, Safari < 18.2', instead: 'jose tests for it' },
  { written: /\.toBase64\(\)/, lacking: 'Chrome < 140, Firefox < 133, Safari < 18.2', instead: 'jose tests for it' },
  { written: /\brequestIdleCallback\b/, lacking: 'Safari', instead: 'RxDB tests for it' },
  { written: /scheduler\??\.yield\b/, lacking: 'Firefox < 142, Safari', instead: 'exifr tests for it' },
  { written: /startViewTransition/, lacking: 'Firefox < 144, Safari < 18', instead: 'router and React: not asked for' },
  { written: /checkVisibility/, lacking: 'Safari < 17.4', instead: 'react-aria tests for it' },
  { written: /\bscrollend\b/, lacking: 'Safari < 26.2', instead: 'react-virtual tests for it' },
  { written: /\bVideoFrame\b/, lacking: 'Firefox < 130', instead: 'MapLibre tests for it' },
  { written: /\bWebTransport\b/, lacking: 'Safari < 26.4', instead: 'socket.io: not among the transports' },
  { written: /Symbol\.(?:asyncDispose|dispose)\b/, lacking: 'Firefox < 141, Safari', instead: 'RxDB: a member only' },
  { written: /light-dark\(/, lacking: 'Safari < 17.5' },
  { written: /@starting-style/, lacking: 'Safari < 17.5' },
  { written: /@scope\b/, lacking: 'Firefox < 146, Safari < 17.4' },
  { written: /field-sizing/, lacking: 'Firefox, Safari < 26.2' },
  { written: /anchor-name/, lacking: 'Firefox < 147, Safari < 26' },
];

/**
 * Scripts and styles of the built app that contain a feature, by the feature.
 *
 * @param folder of the built app
 * @throws Error if there is none
 */
export function usesOf(folder: string): ReadonlyMap<NewerApi, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:m?js|css|html)$/.test(name),
  );
  if (files.length === 0) throw new Error(`${folder} has no built app: npm run build`);
  const texts = files.map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
  return new Map(
    NEWER_APIS.map((api) => [api, texts.filter(({ text }) => api.written.test(text)).map(({ name }) => name)]),
  );
}
