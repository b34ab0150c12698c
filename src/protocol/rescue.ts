import { z } from 'zod';
import { ReefError } from '../domain/errors';
import { sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';

/**
 * A rescue copy: everything that a tablet has not brought to a box, as one file that any tablet or box can read. A plain tar,
 * so that even without this program nothing is locked up:
 *
 * - `manifest.json`, first: what is in it ({@link RescueManifest});
 * - `ops.ndjson`: one line an operation, `{"op": …, "by": …}`, just as it was written, with its own opId, so that every box
 *   gives the receipt that it would have given to the tablet itself; with every operation of a document, and the surveys and
 *   people that photographs belong to, whether or not a box has those already;
 * - `blobs/<sha256>`: the photographs' bytes, in the order of the manifest;
 * - `journals.ndjson`, last, where there is any: strokes of analyses that nobody saved yet, a line a row of the tablet's journals. A
 *   box has no use for them, nor an older tablet.
 */
export const RESCUE = {
  format: 'reef-rescue',
  version: 1,
  manifest: 'manifest.json',
  ops: 'ops.ndjson',
  blobs: 'blobs/',
  journals: 'journals.ndjson',
} as const;

const shortText = z.string().max(400);
const manifestSchema = z.looseObject({
  format: z.literal(RESCUE.format),
  version: z.int().min(1),
  /** ISO 8601, by the clock of the tablet that wrote it. */
  madeAt: shortText,
  device: z.looseObject({ id: shortText, name: shortText }),
  ops: z.looseObject({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema }),
  blobs: z.array(
    z.looseObject({ sha256: sha256Schema, bytes: z.int().min(1).max(LIMITS.imageBytesMax), type: shortText }),
  ),
  journals: z.looseObject({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema }).optional(),
  /** For people: what is in it. */
  surveys: z.array(z.looseObject({ id: shortText, name: shortText, date: shortText, photographs: z.int().min(0) })),
});
export type RescueManifest = z.infer<typeof manifestSchema>;

/** Largest manifest that is read, bytes. */
export const RESCUE_MANIFEST_MAX = 16 * 1024 * 1024;

/**
 * Reads the manifest of a rescue copy.
 *
 * @throws ReefError `bad-message` where it is none, `unsupported-version` where a newer app wrote it
 */
export function parseRescueManifest(text: string): RescueManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ReefError('bad-message', {
      message: 'This is no rescue copy: its list of contents cannot be read.',
      cause: error,
    });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is no rescue copy: its list of contents is not right.' });
  if (parsed.data.version > RESCUE.version)
    throw new ReefError('unsupported-version', {
      message: 'A newer app wrote this rescue copy. Update the app, then open it again; the file is as good as it was.',
    });
  return parsed.data;
}

/** The name of a blob in the archive. */
export function rescueBlobName(sha256: string): string {
  return `${RESCUE.blobs}${sha256}`;
}
