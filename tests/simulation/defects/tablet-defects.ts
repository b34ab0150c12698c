import type { Defect } from './defect';
import { SMALL, PAIR, LIVES, TWO_LIVES, ASHORE_BETWEEN, SHORE, one } from './defect';

/** Mistakes of a tablet: its operations, what it sends, reads and frees. */
export const TABLET_DEFECTS: readonly Defect[] = [
  {
    name: 'the tablet moves its cursor before it stored the page',
    shownBy: 20,
    planted: one(
      'src/data/ops/ingest.ts',
      "  const { db } = store;\n  return store.run(() =>\n    db.transaction('rw', [db.ops, db.receipts, db.holds, db.cursors,",
      "  const { db } = store;\n  await db.cursors.put({ nodeId: end.nodeId, storeEpoch: end.storeEpoch, since: end.next });\n  return store.run(() =>\n    db.transaction('rw', [db.ops, db.receipts, db.holds, db.cursors,",
    ),
    mix: { kill: 40, attend: 15 },
    cast: PAIR,
  },
  {
    name: 'a tablet ignores the epoch of a box',
    shownBy: 2,
    planted: one(
      'src/data/ops/op-index.ts',
      'find((receipt) => receipt.nodeId === nodeId && receipt.storeEpoch === storeEpoch);',
      'find((receipt) => receipt.nodeId === nodeId && storeEpoch.length > 0);',
    ),
    mix: { replaceEdge: 12 },
    cast: SMALL,
  },
  {
    name: 'a restored tablet restarts its counter',
    shownBy: 18,
    planted: one(
      'src/data/ops/reissue-unsent.ts',
      "await db.meta.put({ key: 'counter', value: unsent.length });",
      "await db.meta.put({ key: 'counter', value: 0 });",
    ),
    mix: { restoreTablet: 20, backup: 15, replaceEdge: 0, restoreEdge: 0 },
    cast: SMALL,
  },
  {
    name: 'a tablet stores its counter apart from the operation',
    shownBy: 1,
    planted: one(
      'src/data/ops/append.ts',
      "if (n > counter) await db.meta.put({ key: 'counter', value: n });",
      "if (n > counter) void Promise.resolve().then(() => setTimeout(() => void db.meta.put({ key: 'counter', value: n }), 5));",
    ),
    mix: { kill: 30 },
    cast: SMALL,
  },
  {
    name: 'the puller starts one entry too far',
    shownBy: 1,
    planted: one(
      'src/data/sync/puller.ts',
      'const since = cursor?.storeEpoch === storeEpoch ? cursor.since : 0;',
      'const since = cursor?.storeEpoch === storeEpoch ? cursor.since + 1 : 0;',
    ),
    mix: { attend: 10 },
    cast: PAIR,
  },
  {
    name: 'a tablet frees on a box receipt',
    shownBy: 3,
    planted: [
      {
        file: 'src/data/sync/freeing/find-freeable.ts',
        find: "return stage === 'cloud' && blob?.sha256 === sha256",
        replace: 'return stage.length > 0 && blob?.sha256 === sha256',
      },
      {
        file: 'src/data/sync/freeing/find-freeable.ts',
        find: 'const receipt = opIndex.receiptFrom(opId, cloud);\n    if (receipt?.accepted === false)',
        replace: 'const receipt = opIndex.receipts(opId)[0];\n    if (receipt?.accepted === false)',
      },
      {
        file: 'src/data/sync/freeing/free-bytes.ts',
        find: 'const stored = await store.run(() => store.db.receipts.get([opId, cloud.nodeId, cloud.storeEpoch]));',
        replace: "const stored = await store.run(() => store.db.receipts.where('opId').equals(opId).first());",
      },
      {
        file: 'src/data/sync/freeing/free-bytes.ts',
        find: '!receipt.accepted || receipt.nodeId !== cloud.nodeId || receipt.storeEpoch !== cloud.storeEpoch || !coversBlob',
        replace: '!receipt.accepted || !coversBlob',
      },
      {
        file: 'src/data/sync/freeing/free-bytes.ts',
        find: 'await checkReceiptSignature(receipt, cloud.receiptKeys, store.host.verifySignature);',
        replace: 'void checkReceiptSignature;',
      },
      {
        file: 'src/data/sync/freeing/free-bytes.ts',
        find: 'const confirmed = batch.filter(({ sha256 }) => !missing.has(sha256));',
        replace: 'const confirmed = batch;',
      },
    ],
    mix: { free: 20, deed: 60 },
    cast: SHORE,
  },
  {
    name: 'an operation is resent under a new op id',
    shownBy: 58,
    planted: [
      {
        file: 'src/data/sync/sending/offer.ts',
        find: '  const receipt = await upstream.sendOp(op, by, supportingReceipt).catch(',
        replace:
          '  const tries = (triesOf.get(op.opId) ?? 0) + 1;\n  triesOf.set(op.opId, tries);\n  const under = tries === 1 ? op : { ...op, opId: `${op.opId}${tries}00` as never };\n  const receipt = await upstream.sendOp(under, by, supportingReceipt).then((given) => ({ ...(given as Receipt), opId: op.opId })).catch(',
      },
      {
        file: 'src/data/sync/sending/offer.ts',
        find: '  return verifyReceipt(store.host, receipt, op, upstream);',
        replace: '  return receipt as Receipt;',
      },
      {
        file: 'src/data/sync/sending/offer.ts',
        find: 'const OFFSET_CORRECTIONS_MAX = 3;',
        replace: 'const triesOf = new Map<string, number>();\nconst OFFSET_CORRECTIONS_MAX = 3;',
      },
    ],
    mix: { weather: 25 },
    cast: SMALL,
  },
  {
    name: 'a tablet reads a new box’s feed from the old box’s cursor',
    shownBy: 1,
    planted: one(
      'src/data/sync/puller.ts',
      'const since = cursor?.storeEpoch === storeEpoch ? cursor.since : 0;',
      'const since = cursor?.since ?? 0;',
    ),
    mix: { replaceEdge: 12, attend: 10, deed: 60 },
    cast: PAIR,
  },
  {
    name: 'an op id that another box uses differently is not resolved',
    shownBy: 10,
    planted: one(
      'src/data/ops/ingest.ts',
      'const open = clashes.filter(({ op }) => isOwn(op.opId) &&',
      'const open = clashes.filter(({ op }) => isOwn(op.opId) && known.get(op.opId)?.own !== false && opIndex.receipts(op.opId).length === 0 &&',
    ),
    mix: TWO_LIVES,
    cast: LIVES,
  },
  {
    name: 'a reissued operation does not replace its old id',
    shownBy: 10,
    planted: one('src/domain/op/reissued-op.ts', 'renamed.get(id) ?? id), op.opId])]', 'renamed.get(id) ?? id)])]'),
    mix: TWO_LIVES,
    cast: LIVES,
  },
  {
    name: 'of two writes under one op id only the later life’s is reissued',
    shownBy: 10,
    planted: one(
      'src/data/ops/resolve-op-id-clashes.ts',
      'const groups = [lost, [...mine, ...unsent]]',
      'const groups = [lost.slice(lost.length), [...mine, ...unsent]]',
    ),
    mix: TWO_LIVES,
    cast: LIVES,
  },
  {
    name: 'a tablet never offers a photograph of its earlier life that only the box has',
    shownBy: 87,
    planted: one(
      'src/data/ops/resolve-op-id-clashes.ts',
      'replacesRow: false, knownAt',
      'replacesRow: false, knownAt: undefined',
    ),
    mix: ASHORE_BETWEEN,
    cast: SHORE,
  },
  {
    name: 'a restored tablet does not notice that a box knows more',
    shownBy: 17,
    planted: one('src/data/ops/ingest.ts', 'if (clashes.length > 0) {', 'if (clashes.length < 0) {'),
    mix: { restoreTablet: 30, backup: 20, replaceEdge: 0, restoreEdge: 0 },
    cast: SMALL,
  },
];
