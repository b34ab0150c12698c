import { readFileSync, statSync } from 'node:fs';
import { readReefGeojson, type ReefImport } from '../../src/domain/reef/geojson';
import type { RegionId } from '../../src/domain/region/region-id';

/** Limit for a small box's memory, bytes. */
const FILE_BYTES_MAX = 200 * 1024 * 1024;

/** Error in the operator's input: one line, no stack. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/**
 * Reads a region's reefs from a GeoJSON file.
 *
 * @throws ImportError if missing, too large, not text, JSON (with the position) or GeoJSON, or empty
 */
export function readReefFile(file: string, regionId: RegionId, attribution?: string): ReefImport {
  const text = readText(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ImportError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
  const read = readReefGeojson(json, regionId, attribution);
  if (!read.ok) throw new ImportError(`${file} was not imported. ${read.text}`);
  return read.found;
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new ImportError(`${file} is not a file.`);
    if (stat.size > FILE_BYTES_MAX)
      throw new ImportError(
        `${file} has ${Math.ceil(stat.size / 1024 / 1024).toLocaleString('en')} MB. A table of reefs has at most ${FILE_BYTES_MAX / 1024 / 1024} MB: leave out the outlines, or import a part.`,
      );
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ImportError(
      code === 'ENOENT'
        ? `The file ${file} does not exist.`
        : `${file} could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ImportError(`${file} is not text in UTF-8.`, { cause: error });
  }
}
