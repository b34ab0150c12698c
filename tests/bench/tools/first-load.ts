import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** Imports of a chunk, from Vite's manifest. */
interface ManifestEntry {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** Bytes that the built app needs before its first page is usable. */
export interface FirstLoad {
  /** Scripts by size, largest first, each compressed with gzip at level 9. */
  readonly scripts: readonly { readonly file: string; readonly gzip: number }[];
  readonly gzip: number;
}

/** App that index.html imports after the first paint, and the start page. */
const ROOTS = ['index.html', 'app/main.tsx', 'routes/surveys/index.tsx?tsr-split=component'];

/**
 * Scripts of a first load: what index.html loads, the app it imports and the page of `/surveys`, each with all static
 * imports. Later loads (the tablet's data, other pages, workers) are excluded.
 *
 * @param folder of the built app
 * @throws Error if the app is not built, or a root is not in its manifest
 */
export function firstLoad(folder: string): FirstLoad {
  const place = path.join(folder, '.vite', 'manifest.json');
  if (!existsSync(place)) throw new Error(`The app is not built (${place} is missing): npm run build`);
  const manifest = JSON.parse(readFileSync(place, 'utf8')) as Record<string, ManifestEntry>;
  const files = new Set<string>();
  const seen = new Set<string>();
  const need = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const entry = manifest[key];
    if (entry === undefined) throw new Error(`The build has no ${key}`);
    files.add(entry.file);
    for (const other of entry.imports ?? []) need(other);
  };
  for (const root of ROOTS) need(root);
  const scripts = [...files]
    .map((file) => ({ file, gzip: gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length }))
    .sort((a, b) => b.gzip - a.gzip);
  return { scripts, gzip: scripts.reduce((sum, { gzip }) => sum + gzip, 0) };
}
