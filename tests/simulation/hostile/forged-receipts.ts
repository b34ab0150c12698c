import type { Op } from '../../../src/domain/op/op';
import type { Receipt, UnsignedReceipt } from '../../../src/protocol/receipt';
import { blobOf, signedText } from '../../../src/protocol/receipt';
import type { Seeded } from '../../support/seed';
import { HOSTILE_BOX, partyKey } from './identities';

/** Receipt keys of the hostile box, as its token reported them ashore. */
export function hostileReceiptKeys(): { kty: 'OKP'; crv: 'Ed25519'; kid: string; x: string }[] {
  const { x, kid } = partyKey('box');
  return [{ kty: 'OKP', crv: 'Ed25519', kid, x }];
}

/** Receipt that the hostile box signs, in its own name or in that of another box. */
export function signedReceipt(op: Op, nodeId: string): Receipt {
  const key = partyKey('box');
  const blob = blobOf(op);
  const unsigned: UnsignedReceipt = {
    v: 1,
    stage: 'edge',
    nodeId,
    storeEpoch: 'EpochOfAttacker1',
    opId: op.opId,
    kind: op.kind,
    docId: op.docId,
    sha256: op.sha256,
    ...(blob === undefined ? {} : { blob }),
    accepted: true,
    seq: 1,
    storedAt: '2026-11-20T00:00:00.000Z',
    kid: key.kid,
  };
  return { ...unsigned, sig: key.sign(signedText(unsigned)) } as Receipt;
}

/**
 * Receipt shown with an operation: of the hostile box, in the name of an honest one, or an honest box's for something
 * else, as it is or changed to fit. Undefined: none.
 *
 * @param read receipts of honest boxes that the party read
 */
export function shownReceipt(random: Seeded, op: Op, read: readonly Receipt[]): Receipt | undefined {
  const other = read.length === 0 ? undefined : random.pick(read);
  switch (random.below(5)) {
    case 0:
      return signedReceipt(op, HOSTILE_BOX);
    case 1:
      return signedReceipt(op, other?.nodeId ?? HOSTILE_BOX);
    case 2:
      return other;
    case 3:
      return other === undefined
        ? undefined
        : { ...other, opId: op.opId, kind: op.kind, docId: op.docId, sha256: op.sha256 };
    default:
      return undefined;
  }
}
