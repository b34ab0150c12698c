import { z } from 'zod';
import { sha256Schema } from '../domain/ids';

/** Most files that a list names, and largest file, bytes. */
const FILES_MAX = 2_000;
const MAP_FILE_BYTES_MAX = 1024 ** 3;
/** Largest piece of a file in one request, bytes. */
export const MAP_PIECE_BYTES_MAX = 16 * 1024 * 1024;

/** Public file of the map: a table below `/cdn/map/`, or an archive of tiles below `/tiles/`. */
export const mapFileSchema = z.object({
  /** Address at box and cloud. */
  address: z
    .string()
    .max(200)
    .regex(/^\/(?:cdn\/map(?:\/[0-9A-Za-z][0-9A-Za-z_.-]*)+|tiles\/[a-z0-9][a-z0-9-]{0,63}\.pmtiles)$/),
  /** Hash of the content, not compressed. */
  sha256: sha256Schema,
  /** Length of the content, bytes. */
  bytes: z.int().min(0).max(MAP_FILE_BYTES_MAX),
  /** Content type. */
  type: z.string().min(1).max(100),
  /** Files of one set replace those before together: numeric ids in tiles are rows of a table. */
  set: z.string().min(1).max(100),
  /** Form in which it travels; archives contain compressed tiles. */
  encoding: z.enum(['gzip', 'identity']),
});
export type MapFile = z.infer<typeof mapFileSchema>;

/** Files in the order in which the box gets them. */
export const mapFilesSchema = z.object({ files: z.array(mapFileSchema).max(FILES_MAX) });

/** `GET /api/map-files` */
export interface MapFilesReply {
  readonly ok: true;
  readonly files: readonly MapFile[];
}

/** File that the box lacks, with the number of bytes of its travelling form that it has. */
export interface WantedMapFile {
  readonly sha256: string;
  readonly offset: number;
}

/** `PUT /edge/map-files` */
export interface WantedMapFilesReply {
  readonly ok: true;
  readonly wanted: readonly WantedMapFile[];
}

/** `PATCH /edge/map-files/<sha256>`: header with the length of the travelling form, bytes. */
export const UPLOAD_LENGTH_HEADER = 'upload-length';

/** State of the map aboard. */
export interface EdgeMaps {
  /**
   * `none`: no list arrived yet; `coming`: files are missing; `no-space`: the disk is too full for one; `damaged`: one
   * came that was not what was announced, and comes again. Until a set is complete, the files before are served.
   */
  readonly status: 'none' | 'complete' | 'coming' | 'no-space' | 'damaged';
  /** Files served, and files of the latest list that are missing. */
  readonly files: number;
  readonly missing: number;
  readonly missingBytes: number;
}
