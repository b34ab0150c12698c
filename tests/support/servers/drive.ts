/** Sealed bundles in tests: opened with the private key that a cloud would have, changed, and sealed again. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { checkBundle } from '../../../cloud-sync/api/bundles/bundle-file';
import type { CheckedBundle } from '../../../cloud-sync/api/bundles/bundle-file';
import { seal, unseal } from '../../../src/server/bundles/sealing';

export interface SealPair {
  readonly identity: string;
  readonly recipient: string;
}

export async function newSealPair(): Promise<SealPair> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

export async function gathered(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** Tar within a bundle. */
export function tarOf(file: string, { identity }: SealPair): Promise<Buffer> {
  return gathered(unseal([identity], createReadStream(file)));
}

/** Reads a bundle's contents, checked as by the cloud; `folder` receives the opened tar. */
export async function openBundle(file: string, pair: SealPair, folder: string): Promise<CheckedBundle> {
  const tar = path.join(folder, `${randomBytes(6).toString('hex')}.tar`);
  await writeFile(tar, await tarOf(file, pair));
  return checkBundle(tar);
}

/** Seals bytes as a box would. */
export async function sealed(bytes: Uint8Array, recipient: string): Promise<Buffer> {
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  return gathered((await seal(recipient, source(), bytes.length)).stream);
}
