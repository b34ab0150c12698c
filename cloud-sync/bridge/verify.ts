import { CLOUD_BATCH_MAX } from '../../src/protocol/cloud-http';
import type { Courier, OpEntry } from './courier';
import { hasOp } from './courier';
import type { Parts } from './parts';
import { EpochChanged, admit, jsonBytes, received } from './parts';
import type { OwedBlob } from './state';
import { at } from './trouble';

/** A photograph whose record and bytes the cloud has receipted. */
interface Receipted {
  readonly opId: string;
  readonly seq: number;
  readonly madeAt: string;
  readonly blob: OwedBlob;
}

/**
 * Asks the cloud whether it still has every photograph that it gave a receipt for. What it misses is offered again.
 *
 * @param wish the console's wish that this answers
 */
export async function verifyAshore(parts: Parts, courier: Courier, wish: string, signal?: AbortSignal): Promise<void> {
  const { cloud, book, clock, log } = parts;
  const receipted = await allReceipted(parts, courier, signal);
  const hashes = [...new Set(receipted.map(({ blob }) => blob.sha256))];
  const missing = new Set<string>();
  for (let i = 0; i < hashes.length; i += CLOUD_BATCH_MAX) {
    const asked = hashes.slice(i, i + CLOUD_BATCH_MAX);
    await admit(parts, jsonBytes(asked), signal);
    const answer = await at('cloud', cloud.have(asked, signal));
    received(parts, answer);
    for (const sha256 of answer) missing.add(sha256);
  }
  holdAgain(parts, receipted, missing);
  book.verified = { wish, at: new Date(clock.now()).toISOString(), asked: hashes.length, missing: missing.size };
  await book.save();
  log(missing.size === 0 ? 'info' : 'warn', 'the cloud was asked for every photograph that it receipted', {
    asked: hashes.length,
    missing: missing.size,
  });
}

/** The cloud does not have these bytes though it gave receipts: they are brought to it again. */
export async function offerAgain(
  parts: Parts,
  courier: Courier,
  missing: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  holdAgain(parts, await allReceipted(parts, courier, signal), missing);
  await parts.book.save();
}

function holdAgain({ book }: Parts, receipted: readonly Receipted[], missing: ReadonlySet<string>): void {
  for (const { opId, seq, madeAt, blob } of receipted) {
    if (missing.has(blob.sha256))
      book.hold({ opId, seq, kind: 'image', madeAt, blob, again: true, error: null, tries: 0 });
  }
}

async function allReceipted(
  { edge, book, limits }: Parts,
  courier: Courier,
  signal?: AbortSignal,
): Promise<Receipted[]> {
  const written = new Map<string, Receipted>();
  const receipted = new Map<string, Receipted>();
  const image = ({ op, seq }: OpEntry): void => {
    const blob = op.kind === 'image' ? courier.blobOf(op) : null;
    if (blob !== null) written.set(op.opId, { opId: op.opId, seq, madeAt: op.madeAt, blob });
  };
  for (let since = 0; ;) {
    const page = await at('edge', edge.changes({ since, limit: limits.pageEntries }, signal));
    if (page.storeEpoch !== book.edgeEpoch) throw new EpochChanged();
    if (page.entries.length === 0) return [...receipted.values()];
    for (const entry of page.entries) {
      if (hasOp(entry)) image(entry);
      const { receipt } = entry;
      const found = receipt === undefined ? undefined : written.get(receipt.opId);
      if (
        found !== undefined &&
        receipt?.stage === 'cloud' &&
        receipt.accepted &&
        receipt.storeEpoch === book.cloudEpoch
      )
        receipted.set(found.opId, found);
    }
    since = page.next;
  }
}
