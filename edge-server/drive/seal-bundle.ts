import { createHash } from 'node:crypto';
import { ReefError } from '../../src/domain/errors';
import type { BundleManifest } from '../../src/protocol/bundle';
import { BUNDLE, bundleBlobName, bundleSignedText, bundleSum, tarMemberBytes } from '../../src/protocol/bundle';
import { TAR_BLOCK, tarHeader, tarPadding } from '../../src/protocol/tar';
import type { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import type { SealedStream } from '../../src/server/bundles/sealing';
import { seal } from '../../src/server/bundles/sealing';
import type { ExportPlan, ExportSource } from './export-plan';
import { exportLines } from './export-plan';

interface BundleInput {
  readonly source: ExportSource;
  readonly plan: ExportPlan;
  readonly readBlob: (sha256: string) => Promise<AsyncIterable<Uint8Array>>;
  /** Called for a photograph whose bytes do not match its hash; the export fails, and the next one omits it. */
  readonly onBroken: (sha256: string) => void;
  /** The box's key for bundles only. */
  readonly signer: ReceiptSigner;
  /** The cloud's key that can open the bundle. */
  readonly recipient: string;
}

/** Seals a bundle. Its length is known before its first byte, so that a receiver detects truncation. */
export async function sealBundle(parts: BundleInput): Promise<SealedStream & { readonly manifest: BundleManifest }> {
  const { manifest } = parts.plan;
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`, 'utf8');
  return { manifest, ...(await seal(parts.recipient, bundleTar(parts, text), tarLength(parts, text.length))) };
}

function tarLength({ plan, signer }: BundleInput, manifest: number): number {
  const none = '0'.repeat(64);
  const names = [BUNDLE.manifest, BUNDLE.ops, ...plan.blobs.map(({ sha256 }) => bundleBlobName(sha256))];
  const sums = names.reduce((sum, name) => sum + bundleSum(name, none).length, 0);
  // A signature's length is constant.
  const members = [
    manifest,
    plan.manifest.ops.bytes,
    ...plan.blobs.map(({ bytes }) => bytes),
    sums,
    signatureText(signer, '').length,
  ];
  return members.reduce((sum, size) => sum + tarMemberBytes(size), 2 * TAR_BLOCK);
}

function signatureText(signer: ReceiptSigner, sums: string): Buffer {
  const { kid, x } = signer.publicKey;
  return Buffer.from(`${JSON.stringify({ v: 1, kid, x, sig: signer.sign(bundleSignedText(sums)) })}\n`, 'utf8');
}

async function* bundleTar(
  { source, plan, readBlob, onBroken, signer }: BundleInput,
  manifest: Buffer,
): AsyncGenerator<Uint8Array> {
  const mtime = Math.floor(Date.parse(plan.manifest.createdAt) / 1000);
  let sums = '';
  const member = async function* (
    name: string,
    size: number,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, string> {
    yield tarHeader({ name, size }, mtime);
    const hash = createHash('sha256');
    for await (const part of content) {
      hash.update(part);
      yield part;
    }
    yield new Uint8Array(tarPadding(size));
    const sha256 = hash.digest('hex');
    sums += bundleSum(name, sha256);
    return sha256;
  };
  yield* member(BUNDLE.manifest, manifest.length, [manifest]);
  yield* member(BUNDLE.ops, plan.manifest.ops.bytes, exportLines(source.database, plan.seqs));
  for (const { sha256, bytes } of plan.blobs) {
    if ((yield* member(bundleBlobName(sha256), bytes, await readBlob(sha256))) === sha256) continue;
    onBroken(sha256);
    throw new ReefError('hash-mismatch', {
      field: 'blobs',
      sha256,
      message:
        'A photograph on the box’s disk is broken. It was set aside; export again, and the bundle comes without its bytes.',
    });
  }
  const listed = sums;
  yield* member(BUNDLE.sums, Buffer.byteLength(listed), [Buffer.from(listed, 'utf8')]);
  const signature = signatureText(signer, listed);
  yield* member(BUNDLE.signature, signature.length, [signature]);
  yield new Uint8Array(2 * TAR_BLOCK);
}
