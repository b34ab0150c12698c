import { z } from 'zod';
import { ReefError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import { publicKeySchema, receiptSchema } from './receipt';
import { TAR_BLOCK, tarPadding } from './tar';

/**
 * A sealed bundle (protocol, "Sealed bundle"): what a box owes to the shore, as one file that travels on a drive. A tar,
 * encrypted with age to the cloud's key, so that who finds the drive reads nothing:
 *
 * - `manifest.json`, first: of which box it is and what is in it ({@link BundleManifest});
 * - `ops.ndjson`: one line an operation, `{"op": …, "by": …}`, in the order of the box's feed, just as it was sent;
 * - `blobs/<sha256>`: the photographs' bytes;
 * - `SHA256SUMS`: the hash of each member above, in their order;
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
  /** How such a file is named. */
  ending: '.reef',
  media: 'application/x-reef-bundle',
} as const;

/** Largest members, and largest line of the operations, that are read into memory, bytes. No box takes an operation of more than 2 MB. */
export const BUNDLE_MAX = {
  manifest: 1024 * 1024,
  sums: 256 * 1024 * 1024,
  signature: 64 * 1024,
  line: 8 * 1024 * 1024,
} as const;

const shortText = z.string().max(400);
const count = z.int().min(0);
export const bundleManifestSchema = z.looseObject({
  format: z.literal(BUNDLE.format),
  version: z.int().min(1),
  /** The box. */
  node: idSchema,
  name: shortText,
  storeEpoch: idSchema,
  /** The part of its feed that was looked through: entries after `fromSeq`, up to `toSeq`. */
  fromSeq: count,
  toSeq: count,
  /** Also what the cloud has receipted. */
  all: z.boolean(),
  /** ISO 8601, by the box's clock. */
  createdAt: shortText,
  /** The version of the box. */
  software: shortText,
  ops: z.looseObject({ count, bytes: count, sha256: sha256Schema }),
  blobs: z.looseObject({ count, bytes: count }),
  /** Photographs whose bytes the box does not have, though their records are in it. */
  withoutBytes: count,
});
export type BundleManifest = z.infer<typeof bundleManifestSchema>;

export const bundleSignatureSchema = z.looseObject({
  v: z.literal(1),
  kid: z.string().min(1).max(100),
  /** The public half of the key, so that staff may take it as a box's at first sight. */
  x: z.string().regex(/^[0-9A-Za-z_-]{43}$/),
  sig: z.string().max(200),
});
export type BundleSignature = z.infer<typeof bundleSignatureSchema>;

/** What the signature is over: the list of hashes, with a line before it that nothing else begins with. */
export function bundleSignedText(sums: string): string {
  return `${BUNDLE.format} ${BUNDLE.version}\n${sums}`;
}

/** A line of the list of hashes, as `sha256sum` writes and checks it. */
export function bundleSum(name: string, sha256: string): string {
  return `${sha256}  ${name}\n`;
}

/** The name of a photograph's bytes in a bundle. */
export function bundleBlobName(sha256: string): string {
  return `${BUNDLE.blobs}${sha256}`;
}

/** The hash that a member's name says, where it is the name of a photograph's bytes. */
export function bundleBlobHash(name: string): string | undefined {
  const sha256 = name.startsWith(BUNDLE.blobs) ? name.slice(BUNDLE.blobs.length) : '';
  return sha256Schema.safeParse(sha256).success ? sha256 : undefined;
}

/** Bytes that a member takes in a tar. */
export function tarMemberBytes(size: number): number {
  return TAR_BLOCK + size + tarPadding(size);
}

/**
 * Reads the manifest of a bundle.
 *
 * @throws ReefError `bad-message` where it is none, `unsupported-version` where a newer box wrote it
 */
export function parseBundleManifest(text: string): BundleManifest {
  const value = parseJson(text, 'its list of contents cannot be read');
  const parsed = bundleManifestSchema.safeParse(value);
  if (parsed.success && parsed.data.version > BUNDLE.version) {
    throw new ReefError('unsupported-version', {
      message: 'A newer box wrote this bundle. Update the cloud, then import it again; the file is as good as it was.',
    });
  }
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is no bundle of a box: its list of contents is not right.' });
  return parsed.data;
}

/** @throws ReefError `bad-message` */
export function parseBundleSignature(text: string): BundleSignature {
  const parsed = bundleSignatureSchema.safeParse(parseJson(text, 'its signature cannot be read'));
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This is no bundle of a box: its signature is not right.' });
  return parsed.data;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReefError('bad-message', { message: `This is no bundle of a box: ${what}.`, cause: error });
  }
}

/** The cloud's key that bundles are sealed to: `GET /api/seal-key`, aboard as reference data `cloud-seal-key`. */
export const CLOUD_SEAL_KEY = 'cloud-seal-key';

export const recipientSchema = z
  .string()
  .regex(/^age1[02-9ac-hj-np-z]{58}$/, 'is not a key to seal to, which begins with age1');
export const sealKeySchema = z.looseObject({ recipient: recipientSchema });
export type SealKey = z.infer<typeof sealKeySchema>;

/** `POST /api/fleet/keys`: what a box signs its bundles with, and its receipts, as its bridge knows it. */
export const boxKeysSchema = z.object({
  node: idSchema,
  name: z.string().max(80).default(''),
  keys: z.array(publicKeySchema).max(20),
  receiptKeys: z.array(publicKeySchema).max(20).default([]),
});

/** `POST /api/import?confirm=`: the name of a key that staff take for a box's. */
export const importQuerySchema = z.object({ confirm: z.string().max(100).optional() });

/**
 * What an import answers, a line each (`POST /api/import`): first `bundle`, then what came of each operation, in the
 * bundle's order, last `done`. Without the last line the import was cut off: it is done again, which changes nothing that was
 * done. The same lines in a file are what is carried back to the box.
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

/** What came of an import, in figures. */
export interface ImportDone {
  /** Operations with an accepting receipt. */
  readonly receipted: number;
  /** Kept in quarantine ashore, for a person to look at. */
  readonly refused: number;
  /** Stored; their photographs' bytes are still missing. */
  readonly waiting: number;
  /** Not taken, each with its error. */
  readonly failed: number;
  /** Photographs whose bytes were new to the cloud. */
  readonly newBlobs: number;
}
