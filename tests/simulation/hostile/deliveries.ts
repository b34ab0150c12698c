import { createPublicKey, verify } from 'node:crypto';
import type { Submitter } from '../../../cloud-sync/api/intake/cloud-intake';
import { canonicalJson } from '../../../src/domain/canonical';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { PublicKey, Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import { textOf } from '../oracle';

/** One arrival of an operation at the cloud. */
export interface Delivery {
  /** Number of the cloud's last entry when it came. */
  readonly after: number;
  readonly device: string | null;
  readonly person: string | null;
  /** Box that vouches for it: the sender, or one whose receipt for it is shown. */
  readonly node: string | null;
  /** `stored`: answered with a receipt, or with what it needs; `refused`: nothing of it is stored. */
  outcome: 'open' | 'stored' | 'refused';
}

/** All that the cloud was sent, by operation, in the order of arrival. */
export class Deliveries {
  readonly #byText = new Map<string, Delivery[]>();

  note(
    op: Op,
    { deviceId, person, node }: Submitter,
    { box, after }: { readonly box: string | null; readonly after: number },
  ): Delivery {
    const text = textOf(op);
    const there = this.#byText.get(text) ?? [];
    this.#byText.set(text, there);
    const delivery: Delivery = { after, device: deviceId, person, node: node ?? box, outcome: 'open' };
    there.push(delivery);
    return delivery;
  }

  of(op: Op): readonly Delivery[] {
    return (this.#byText.get(textOf(op)) ?? []).filter(({ outcome }) => outcome !== 'refused');
  }
}

/** True if a box signed that it accepted exactly this operation (protocol, "Receipts and keys"). */
export function isReceiptFor(op: Op, receipt: Receipt, keys: readonly PublicKey[]): boolean {
  const { sig, ...signed } = receipt;
  const key = keys.find(({ kid }) => kid === receipt.kid);
  const blob = blobOf(op);
  const isSame =
    receipt.stage === 'edge' &&
    receipt.accepted &&
    (['opId', 'kind', 'docId', 'sha256'] as const).every((member) => receipt[member] === op[member]) &&
    (receipt.blob === undefined || receipt.blob.sha256 === blob?.sha256);
  if (!isSame || key === undefined) return false;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  return verify(
    null,
    Buffer.from(canonicalJson(signed as unknown as JsonObject)),
    publicKey,
    Buffer.from(sig, 'base64url'),
  );
}
