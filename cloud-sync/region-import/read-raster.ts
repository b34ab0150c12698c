import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GeoBounds } from '../../src/geo/outline';
import { checkRaster, readRasterSize } from '../../src/server/map-tiles/raster-picture';
import type { RasterProjection } from '../../src/server/map-tiles/raster-tiles';
import { ImportError } from './import-error';

/** Largest picture, bytes. */
const BYTES_MAX = 100 * 1024 * 1024;

export interface RasterFile {
  readonly name: string;
  readonly file: string;
  readonly bounds: GeoBounds;
  readonly projection: RasterProjection;
  readonly attribution: string;
}

export interface ImportedRaster {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly projection: RasterProjection;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Reads the picture of a raster. @throws ImportError if it is missing, too large, damaged or no picture */
export async function readRaster({ file, projection }: RasterFile): Promise<ImportedRaster> {
  const name = path.basename(file);
  const info = await stat(file).catch((error: unknown) => {
    throw new ImportError(`${name} could not be read.`, { cause: error });
  });
  if (info.size > BYTES_MAX) throw new ImportError(`${name} has more than ${BYTES_MAX / 1024 / 1024} MB.`);
  const size = await readRasterSize(file);
  if (typeof size === 'string') throw new ImportError(`${name} ${size}.`);
  await checkRaster(file).catch((error: unknown) => {
    throw new ImportError(`${name} is damaged or cut off.`, { cause: error });
  });
  const bytes = await readFile(file);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), projection, ...size };
}
