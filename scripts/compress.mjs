// Compresses the built app once, so that the box does not at run time.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Other types are compressed already. */
const TEXTS = new Set(['.html', '.js', '.mjs', '.css', '.svg', '.json', '.geojson', '.webmanifest', '.txt']);
/** Fits into one packet anyway, bytes. */
const SMALLEST = 1024;

/** Writes `<file>.br` and `<file>.gz` where smaller. Returns the number of files. */
export function compressFolder(folder) {
  let done = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !TEXTS.has(path.extname(entry.name))) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    if (bytes.length < SMALLEST) continue;
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const gzip = gzipSync(bytes, { level: 9 });
    if (brotli.length < bytes.length) writeFileSync(`${file}.br`, brotli);
    if (gzip.length < bytes.length) writeFileSync(`${file}.gz`, gzip);
    done += 1;
  }
  return done;
}
