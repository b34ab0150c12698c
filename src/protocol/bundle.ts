import { z } from 'zod';
import { ReefError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import { boxPeopleSchema } from './person-statement';
import { publicKeySchema, receiptSchema } from './receipt';
import { TAR_BLOCK, tarPadding } from './tar';

/**
 * Sealed bundle (protocol, "Sealed bundle"): a box's unsent data as one file for transport on a drive. A tar, encrypted
 * with age to the cloud's key, so that a lost drive reveals nothing:
 *
 * - `manifest.json`, first: box and contents ({@link BundleManifest});
 * - `ops.ndjson`: one operation per line, `{"op": …, "by": …}`, in feed order, exactly as sent;
 * - `blobs/<sha256>`: the photographs' bytes;
 * - `SHA256SUMS`: hashes of the members above, in order;
 * - `signature.json`, last: the box's signature over those hashes ({@link BundleSignature}).
 */
export const BUNDLE = {
  format: 'reef-bundle',
  version: 1,
  manifest: 'manifest.json',
  ops: 'ops.ndjson',
  blobs: 'blobs/',
  sums: 'SHA256SUMS',
  signature: 'signature.json',
  ending: '.reef',
  media: 'application/x-reef-bundle',
} as const;

/** Largest members and line read into memory, bytes. A box accepts no operation above 2 MB. */
export const BUNDLE_MAX = {
  manifest: 1024 * 1024,
  sums: 256 * 1024 * 1024,
  signature: 64 * 1024,
  line: 8 * 1024 * 1024,
} as const;

const shortText = z.string().max(400);
const count = z.int().min(0);
const bundleManifestSchema = z.looseObject({
  format: z.literal(BUNDLE.format),
  version: z.int().min(1),
  node: idSchema,
  name: shortText,
  storeEpoch: idSchema,
  /** Exported range of the feed: after `fromSeq`, up to `toSeq`. */
  fromSeq: count,
  toSeq: count,
  /** Includes operations that the cloud has receipted. */
  all: z.boolean(),
  /** ISO 8601, by the box's clock. */
  createdAt: shortText,
  software: shortText,
  ops: z.looseObject({ count, bytes: count, sha256: sha256Schema }),
  blobs: z.looseObject({ count, bytes: count }),
  /** Photographs whose records are included, but whose bytes the box lacks. */
  withoutBytes: count,
  /** Statements about the box's pending people, the latest ones; absent from version 1. */
  people: boxPeopleSchema.optional(),
});
export type BundleManifest = z.infer<typeof bundleManifestSchema>;

const bundleSignatureSchema = z.looseObject({
  v: z.literal(1),
  kid: z.string().min(1).max(100),
  /** Public key, so that staff can trust a box at first sight. */
  x: z.string().regex(/^[0-9A-Za-z_-]{43}$/),
  sig: z.string().max(200),
});
export type BundleSignature = z.infer<typeof bundleSignatureSchema>;

/** Text to sign: the list of hashes after a line that nothing else starts with. */
export function bundleSignedText(sums: string): string {
  return `${BUNDLE.format} ${BUNDLE.version}\n${sums}`;
}

/** Line of the list of hashes, in `sha256sum` format. */
export function bundleSum(name: string, sha256: string): string {
  return `${sha256}  ${name}\n`;
}

export function bundleBlobName(sha256: string): string {
  return `${BUNDLE.blobs}${sha256}`;
}

/** Hash in a member name, if it is a photograph's. */
export function bundleBlobHash(name: string): string | undefined {
  const sha256 = name.startsWith(BUNDLE.blobs) ? name.slice(BUNDLE.blobs.length) : '';
  return sha256Schema.safeParse(sha256).success ? sha256 : undefined;
}

/** Bytes of a member in the tar. */
export function tarMemberBytes(size: number): number {
  return TAR_BLOCK + size + tarPadding(size);
}

/**
 * Reads the manifest of a bundle.
 *
 * @throws ReefError `bad-message` if invalid, `unsupported-version` if a newer box wrote it
 */
export function parseBundleManifest(text: string): BundleManifest {
  const value = parseJson(text, 'its list of contents cannot be read');
  const parsed = bundleManifestSchema.safeParse(value);
  if (parsed.success && parsed.data.version > BUNDLE.version) {
    throw new ReefError('unsupported-version', {
      message: 'A newer box wrote this bundle. The file is intact. Update the cloud, then import it again.',
    });
  }
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is not a box bundle: its list of contents is not valid.' });
  return parsed.data;
}

/** @throws ReefError `bad-message` */
export function parseBundleSignature(text: string): BundleSignature {
  const parsed = bundleSignatureSchema.safeParse(parseJson(text, 'its signature cannot be read'));
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is not a box bundle: its signature is not valid.' });
  return parsed.data;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReefError('bad-message', { message: `This is not a box bundle: ${what}.`, cause: error });
  }
}

/** Name of the cloud's public sealing key: `GET /api/seal-key`, aboard as reference data `cloud-seal-key`. */
export const CLOUD_SEAL_KEY = 'cloud-seal-key';

export const recipientSchema = z
  .string()
  .regex(/^age1[02-9ac-hj-np-z]{58}$/, 'is not a key to seal to, which begins with age1');
export const sealKeySchema = z.looseObject({ recipient: recipientSchema });

/** `POST /api/fleet/keys`: a box's keys for bundles and receipts, and its statements about people. */
export const boxKeysSchema = z.object({
  node: idSchema,
  name: z.string().max(80).default(''),
  keys: z.array(publicKeySchema).max(20),
  receiptKeys: z.array(publicKeySchema).max(20).default([]),
  people: boxPeopleSchema.optional(),
});

/** `POST /api/import?confirm=`: id of a key that staff accept as a box's. */
export const importQuerySchema = z.object({ confirm: z.string().max(100).optional() });

/**
 * Reply of an import, one line each (`POST /api/import`): first `bundle`, then each operation's result in bundle order,
 * last `done`. Without `done` the import was cut off; repeating it changes nothing that was done. Saved to a file,
 * these lines are carried back to the box.
 */
export const importLineSchema = z.union([
  z.object({
    bundle: bundleManifestSchema,
    cloud: z.looseObject({ node: idSchema, storeEpoch: idSchema, keys: z.array(z.unknown()) }),
    signer: z.looseObject({ kid: z.string(), known: z.boolean() }),
  }),
  z.object({ receipt: receiptSchema }),
  z.object({ opId: z.string(), needs: z.array(z.string()) }),
  z.object({ opId: z.string().nullable(), error: z.looseObject({ code: z.string(), message: z.string() }) }),
  z.object({
    done: z.looseObject({ receipted: count, refused: count, waiting: count, failed: count, newBlobs: count }),
  }),
]);
export type ImportLine = z.infer<typeof importLineSchema>;

export interface ImportDone {
  /** Operations with an accepting receipt. */
  readonly receipted: number;
  /** In quarantine, for a person to review. */
  readonly refused: number;
  /** Stored, but the photographs' bytes are missing. */
  readonly waiting: number;
  /** Failed, each with its error. */
  readonly failed: number;
  readonly newBlobs: number;
}
