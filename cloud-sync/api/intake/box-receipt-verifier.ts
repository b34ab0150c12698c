import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { Op } from '../../../src/domain/op/op';
import type { PublicKey } from '../../../src/protocol/receipt';
import { blobOf, checkReceiptMatches, checkReceiptSignature, receiptSchema } from '../../../src/protocol/receipt';
import { verifySignature } from '../../../src/server/ops/receipt-signer';

/** Time box keys are cached, ms: a tablet shows a receipt with each operation. */
const CACHE_MS = 5000;

/**
 * Verifies box receipts shown with operations: their holder was admitted aboard. A box's keys come from the holder of
 * its token, who could submit anything anyway; a revoked box's do not count.
 */
export class BoxReceiptVerifier {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  readonly #cache = new Map<string, { readonly keys: readonly PublicKey[]; readonly validUntil: number }>();

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async addKeys(node: string, keys: readonly PublicKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#pool.query(
      'INSERT INTO box_receipt_keys (kid, node, x, added_at) SELECT kid, $2, x, $4 FROM unnest($1::text[], $3::text[]) AS k(kid, x) ON CONFLICT DO NOTHING',
      [keys.map(({ kid }) => kid), node, keys.map(({ x }) => x), new Date(this.#clock())],
    );
    this.#cache.delete(node);
  }

  /** Box whose accepting receipt for exactly this operation is shown; undefined for anything else. */
  boxOf(op: Op, shown: unknown): Promise<string | undefined> {
    return boxOfReceipt(op, shown, (node) => this.#keysOf(node));
  }

  async #keysOf(node: string): Promise<readonly PublicKey[]> {
    const known = this.#cache.get(node);
    if (known !== undefined && performance.now() < known.validUntil) return known.keys;
    const { rows } = await this.#pool.query<{ kid: string; x: string }>(
      'SELECT k.kid, k.x FROM box_receipt_keys k WHERE k.node = $1 AND NOT EXISTS (SELECT FROM boxes b WHERE b.node = k.node AND b.revoked_at IS NOT NULL)',
      [node],
    );
    const keys = rows.map(({ kid, x }): PublicKey => ({ kty: 'OKP', crv: 'Ed25519', kid, x }));
    // Anyone can invent node ids.
    if (this.#cache.size > 1000) this.#cache.clear();
    this.#cache.set(node, { keys, validUntil: performance.now() + CACHE_MS });
    return keys;
  }
}

/**
 * Box whose accepting receipt for exactly this operation is shown; undefined for anything else.
 *
 * @param keysOf receipt keys of a box; empty for an unknown one
 */
export async function boxOfReceipt(
  op: Op,
  shown: unknown,
  keysOf: (node: string) => Promise<readonly PublicKey[]>,
): Promise<string | undefined> {
  const parsed = receiptSchema.safeParse(shown);
  if (!parsed.success || parsed.data.stage !== 'edge' || !parsed.data.accepted) return undefined;
  const receipt = parsed.data;
  try {
    checkReceiptMatches(receipt, op, blobOf(op));
    await checkReceiptSignature(receipt, await keysOf(receipt.nodeId), verifySignature);
    return receipt.nodeId;
  } catch (error) {
    if (error instanceof ReefError && error.code === 'receipt-mismatch') return undefined;
    throw error;
  }
}
