import { z } from 'zod';
import { ReefError } from '../domain/errors';
import { sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';

/**
 * Rescue copy: a tablet's unsent work as one file that any tablet or box can read. A plain tar, so that nothing is
 * locked up without this program:
 *
 * - `manifest.json`, first: contents ({@link RescueManifest});
 * - `ops.ndjson`: one operation per line, `{"op": …, "by": …}`, unchanged with its own opId, so that every box issues
 * the same receipt as to the tablet itself. Includes every operation of a document, and the photographs' surveys and
 * people, even if a box has them;
 * - `blobs/<sha256>`: the photographs' bytes, in manifest order;
 * - `journals.ndjson`, last and optional: unsaved strokes, labels and percentages, one journal row per line. Boxes and older
 * tablets ignore it.
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
  /** ISO 8601, by the writing tablet's clock. */
  madeAt: shortText,
  device: z.looseObject({ id: shortText, name: shortText }),
  ops: z.looseObject({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema }),
  blobs: z.array(
    z.looseObject({ sha256: sha256Schema, bytes: z.int().min(1).max(LIMITS.imageBytesMax), type: shortText }),
  ),
  journals: z.looseObject({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema }).optional(),
  /** Contents, for people. */
  surveys: z.array(z.looseObject({ id: shortText, name: shortText, date: shortText, photographs: z.int().min(0) })),
});
export type RescueManifest = z.infer<typeof manifestSchema>;

/** Largest manifest, bytes. */
export const RESCUE_MANIFEST_MAX = 16 * 1024 * 1024;

/**
 * Reads the manifest of a rescue copy.
 *
 * @throws ReefError `bad-message` if invalid, `unsupported-version` if a newer app wrote it
 */
export function parseRescueManifest(text: string): RescueManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ReefError('bad-message', {
      message: 'This is not a rescue copy: its list of contents cannot be read.',
      cause: error,
    });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is not a rescue copy: its list of contents is not valid.' });
  if (parsed.data.version > RESCUE.version)
    throw new ReefError('unsupported-version', {
      message: 'A newer app wrote this rescue copy. The file is intact. Update the app, then open it again.',
    });
  return parsed.data;
}

export function rescueBlobName(sha256: string): string {
  return `${RESCUE.blobs}${sha256}`;
}
