import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ReefError } from '../../../src/domain/errors';
import type { BundleManifest, BundleSignature } from '../../../src/protocol/bundle';
import {
  BUNDLE,
  BUNDLE_MAX,
  bundleBlobHash,
  bundleSignedText,
  bundleSum,
  parseBundleManifest,
  parseBundleSignature,
  tarMemberBytes,
} from '../../../src/protocol/bundle';
import type { PublicKey } from '../../../src/protocol/receipt';
import { parseTarHeader, TAR_BLOCK } from '../../../src/protocol/tar';
import { verifySignature } from '../../../src/server/ops/receipt-signer';

const CHUNK_BYTES = 1024 * 1024;

interface Member {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly sha256: string;
}

/** Verified bundle: every byte is as its box signed it. */
export interface CheckedBundle {
  readonly manifest: BundleManifest;
  readonly signature: BundleSignature;
  lines(): AsyncGenerator<string>;
  blobBytes(sha256: string): number | undefined;
  /** @param from first byte */
  readBlob(sha256: string, from?: number): Readable;
}

/**
 * Verifies an unsealed bundle (a plain tar): members and order, hashes against the hash list, that list against the
 * signature, counts against the manifest. The caller decides whether to trust the key.
 *
 * @throws ReefError `bad-message` if anything is missing, added, altered or cut off; `unsupported-version` for a newer
 * box's
 */
export async function checkBundle(path: string): Promise<CheckedBundle> {
  const file = await open(path, 'r');
  try {
    const members = await readMembers(file);
    const [manifestMember, ops] = members;
    const [sums, signatureMember] = members.slice(-2);
    if (manifestMember?.name !== BUNDLE.manifest) throw invalidBundle('it does not begin with its list of contents');
    const manifest = parseBundleManifest(await readText(file, manifestMember, BUNDLE_MAX.manifest));
    if (
      members.length < 4 ||
      ops?.name !== BUNDLE.ops ||
      sums?.name !== BUNDLE.sums ||
      signatureMember?.name !== BUNDLE.signature
    )
      throw invalidBundle('a part of it is missing, or it ends too early');
    const blobs = members.slice(2, -2);
    checkHashes(await readText(file, sums, BUNDLE_MAX.sums), members.slice(0, -2));
    const signature = parseBundleSignature(await readText(file, signatureMember, BUNDLE_MAX.signature));
    checkSignature(signature, await readText(file, sums, BUNDLE_MAX.sums));
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
    if (
      ops.sha256 !== manifest.ops.sha256 ||
      ops.size !== manifest.ops.bytes ||
      blobs.length !== manifest.blobs.count ||
      bytes !== manifest.blobs.bytes
    )
      throw invalidBundle('its contents do not match its manifest');
    await checkLines(file, ops);
    return openedBundle(path, manifest, signature, ops, blobs);
  } finally {
    await file.close();
  }
}

function openedBundle(
  path: string,
  manifest: BundleManifest,
  signature: BundleSignature,
  ops: Member,
  blobs: readonly Member[],
): CheckedBundle {
  const byHash = new Map(blobs.map((member) => [member.sha256, member]));
  const read = ({ offset, size }: Member, from = 0): Readable =>
    createReadStream(path, { start: offset + from, end: offset + size - 1, highWaterMark: CHUNK_BYTES });
  return {
    manifest,
    signature,
    async *lines() {
      if (ops.size === 0) return;
      for await (const line of createInterface({ input: read(ops), crlfDelay: Infinity })) if (line !== '') yield line;
    },
    blobBytes: (sha256) => byHash.get(sha256)?.size,
    readBlob(sha256, from) {
      const member = byHash.get(sha256);
      if (member === undefined) throw new ReefError('not-found');
      return read(member, from);
    },
  };
}

export function signerKey({ kid, x }: BundleSignature): PublicKey {
  return { kty: 'OKP', crv: 'Ed25519', x, kid };
}

function checkSignature(signature: BundleSignature, sums: string): void {
  if (!verifySignature(signerKey(signature), signature.sig, bundleSignedText(sums)))
    throw invalidBundle('its signature does not hold');
}

function checkHashes(sums: string, members: readonly Member[]): void {
  if (sums !== members.map(({ name, sha256 }) => bundleSum(name, sha256)).join(''))
    throw invalidBundle('its contents do not match its list of hashes');
  for (const { name, size, sha256 } of members.slice(2)) {
    if (bundleBlobHash(name) !== sha256 || size < 1) throw invalidBundle('a photograph in it does not match its name');
  }
}

async function readMembers(file: FileHandle): Promise<Member[]> {
  const { size: length } = await file.stat();
  const members: Member[] = [];
  const names = new Set<string>();
  let at = 0;
  for (;;) {
    const header = parseTarHeader(await readAt(file, at, TAR_BLOCK));
    if (header === null) break;
    const { name, size } = header;
    if (at + tarMemberBytes(size) > length) throw invalidBundle('it was cut off');
    if (names.has(name)) throw invalidBundle('a part of it is there twice');
    names.add(name);
    members.push({ name, offset: at + TAR_BLOCK, size, sha256: await hashOf(file, at + TAR_BLOCK, size) });
    at += tarMemberBytes(size);
  }
  if (at + 2 * TAR_BLOCK !== length || !(await readAt(file, at, 2 * TAR_BLOCK)).every((byte) => byte === 0))
    throw invalidBundle('something follows its end, or its end is missing');
  return members;
}

async function hashOf(file: FileHandle, at: number, size: number): Promise<string> {
  const hash = createHash('sha256');
  for (let done = 0; done < size;) {
    const part = await readAt(file, at + done, Math.min(CHUNK_BYTES, size - done));
    hash.update(part);
    done += part.length;
  }
  return hash.digest('hex');
}

/** Limits line length: an endless line would exhaust memory. */
async function checkLines(file: FileHandle, { offset, size }: Member): Promise<void> {
  let length = 0;
  for (let done = 0; done < size;) {
    const part = await readAt(file, offset + done, Math.min(CHUNK_BYTES, size - done));
    done += part.length;
    const end = part.lastIndexOf(0x0a);
    // Only a line longer than a chunk can be too long.
    length = end < 0 ? length + part.length : part.length - end - 1;
    if (length > BUNDLE_MAX.line) throw invalidBundle('a line of it is longer than any box writes');
  }
}

async function readText(file: FileHandle, { offset, size }: Member, max: number): Promise<string> {
  if (size > max) throw invalidBundle('a part of it is larger than any box writes');
  return (await readAt(file, offset, size)).toString('utf8');
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(buffer, done, length - done, at + done);
    if (bytesRead === 0) throw invalidBundle('it was cut off');
    done += bytesRead;
  }
  return buffer;
}

function invalidBundle(what: string): ReefError {
  return new ReefError('bad-message', {
    field: 'bundle',
    message: `This bundle is damaged: ${what}. Nothing was imported. Copy it from the drive again, or export it again.`,
  });
}
