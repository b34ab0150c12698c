import type { Mix } from './mix';
import type { Planted } from './run';
import type { Topology } from './world';

/** Plausible mistake planted in a bundle of the simulator, which must find it. */
export interface Defect {
  readonly name: string;
  readonly planted: readonly Planted[];
  /** Weights of the steps that reveal it. */
  readonly mix?: Partial<Mix>;
  readonly cast?: Partial<Topology>;
  /** Shows beside a hostile tablet and box. */
  readonly hostile?: boolean;
  /** Seed of a history that shows it, played first; any other seed counts as well. */
  readonly shownBy?: number;
}

const SMALL: Partial<Topology> = { tablets: 1, edges: 1, cloud: false };
const PAIR: Partial<Topology> = { tablets: 2, edges: 1, cloud: false };
/** One tablet between two boxes, restored repeatedly: two of its lives write under the same op ids. */
const LIVES: Partial<Topology> = { tablets: 1, edges: 2, cloud: true };
const TWO_LIVES: Partial<Mix> = {
  restoreTablet: 30,
  backup: 20,
  sail: 25,
  deed: 80,
  replaceEdge: 0,
  restoreEdge: 0,
  replaceCloud: 0,
  restoreCloud: 0,
};
/** A tablet that moves between box and shore, and is restored repeatedly. */
const ASHORE_BETWEEN: Partial<Mix> = {
  restoreTablet: 25,
  backup: 20,
  deed: 80,
  sail: 60,
  weather: 10,
  pass: 20,
  replaceEdge: 0,
  restoreEdge: 0,
  replaceCloud: 0,
  restoreCloud: 0,
  kill: 0,
  endInCommit: 0,
  clock: 0,
  free: 0,
  forge: 0,
  early: 0,
};
/** Two people who often write concurrently and resolve the conflicts. */
export const CONFLICTS: Partial<Mix> = {
  deed: 70,
  sail: 14,
  attend: 8,
  pass: 15,
  settle: 50,
  kill: 0,
  cut: 0,
  weather: 0,
  endInCommit: 0,
  clock: 0,
  backup: 0,
};
const SHORE: Partial<Topology> = { tablets: 1, edges: 1, cloud: true };

const one = (file: string, find: string, replace: string): readonly Planted[] => [{ file, find, replace }];

/** Bridge that asks before sending, which is no defect: the box must still retain what is not ashore. */
const ASKS_FIRST: Planted = {
  file: 'cloud-sync/bridge/bridge.ts',
  find: 'if (news) await this.#pull(signal);',
  replace: 'if (frees) await freeAboard(parts, courier, signal);\n    if (news) await this.#pull(signal);',
};

export const DEFECTS: readonly Defect[] = [
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
    name: 'a conflict is dropped',
    shownBy: 41,
    planted: one(
      'src/domain/fold/fold.ts',
      'if (!equalJson(write.value, shown.value, work)) conflicts.push',
      "if (field !== 'name' && !equalJson(write.value, shown.value, work)) conflicts.push",
    ),
    mix: { deed: 90, sail: 15 },
    cast: PAIR,
  },
  {
    name: 'a delete removes an edit that it did not see',
    shownBy: 6,
    planted: one(
      'src/domain/fold/fold.ts',
      'allFromDeletes &&= write.deletes;',
      'allFromDeletes &&= write.opId.length > 0;',
    ),
    mix: { deed: 90, sail: 15 },
    cast: PAIR,
  },
  {
    name: 'the fold orders by arrival',
    shownBy: 5,
    planted: one(
      'src/domain/fold/fold.ts',
      'return a.lc - b.lc || byCodeUnit(a.opId, b.opId);',
      'return 0 * (a.lc - b.lc || byCodeUnit(a.opId, b.opId));',
    ),
    mix: { deed: 90, sail: 15 },
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
    name: 'box and tablet accept another operation under a known op id as the same',
    shownBy: 20,
    planted: [
      {
        file: 'edge-server/store/feed.ts',
        find: 'if (row.op !== canonicalText()) {',
        replace: 'if (row.op !== canonicalText() && row.op === opId) {',
      },
      {
        file: 'src/data/sync/sending/offer.ts',
        find: '    checkReceiptMatches(receipt, op, blobOf(op));\n',
        replace: '    void [checkReceiptMatches, blobOf];\n',
      },
    ],
    mix: { restoreTablet: 30, backup: 20, attend: 0, replaceEdge: 0, restoreEdge: 0 },
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
    name: 'a restored database keeps its epoch',
    shownBy: 10,
    planted: one(
      'edge-server/store/identity.ts',
      'if (reason === undefined) return',
      'if (reason === undefined || reason.length > 0) return',
    ),
    mix: { restoreEdge: 20, backup: 20 },
    cast: SMALL,
  },
  {
    name: 'the bridge omits the author',
    shownBy: 1,
    planted: one(
      'cloud-sync/bridge/upload/op-uploader.ts',
      '(op.by === undefined && by !== undefined ? { op, by } : op)',
      '(op.by === undefined && by !== undefined ? op : op)',
    ),
    cast: SHORE,
  },
  {
    name: 'the bridge does not notice another cloud',
    shownBy: 1,
    planted: one(
      'cloud-sync/bridge/state/sync-tracker.ts',
      "if (before === epoch) return 'same';",
      "if (before === epoch || (side === 'cloud' && before !== null)) return 'same';",
    ),
    mix: { replaceCloud: 15, free: 0 },
    cast: SHORE,
  },
  {
    name: 'the cloud does not check the hash',
    shownBy: 2,
    planted: one('cloud-sync/api/intake/cloud-intake.ts', '    checkHash(op);\n', ''),
    mix: { forge: 10 },
    cast: SHORE,
  },
  {
    name: 'the cloud claims bytes that it lacks',
    shownBy: 2,
    planted: one('cloud-sync/api/images/blob-routes.ts', 'here[index] !== true', 'here[index] === undefined'),
    cast: SHORE,
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
    name: 'a box frees on its own receipt',
    shownBy: 6,
    planted: [
      {
        file: 'edge-server/store/freed-bytes.ts',
        find: "WHERE stage = 'cloud' AND kind = 'image' AND accepted = 1 AND store_epoch = ${CLOUD_EPOCH_SQL} AND seq > ?",
        replace: "WHERE kind = 'image' AND accepted = 1 AND seq > ?",
      },
      {
        file: 'edge-server/store/freed-bytes.ts',
        find: "AND feed.stage = 'cloud' AND feed.store_epoch = ${CLOUD_EPOCH_SQL} ORDER BY feed.node_seq DESC",
        replace: 'ORDER BY feed.seq',
      },
      {
        file: 'edge-server/freeing/freeing.ts',
        find: "if (receipt.stage !== 'cloud' || !receipt.accepted || receipt.storeEpoch !== cloudEpoch) return false;",
        replace: 'void cloudEpoch;',
      },
      {
        file: 'edge-server/freeing/freeing.ts',
        find: 'await checkReceiptSignature(receipt, keys, verifySignature);',
        replace: 'void [checkReceiptSignature, keys, verifySignature];',
      },
      {
        file: 'edge-server/freeing/freeing.ts',
        find: 'const bytes = absent.has(sha256) ? 0 : await',
        replace: 'const bytes = await',
      },
      ASKS_FIRST,
    ],
    mix: { free: 12, deed: 80 },
    cast: SHORE,
  },
  {
    name: 'a box frees without asking the cloud whether it still has it',
    shownBy: 48,
    planted: [
      {
        file: 'edge-server/freeing/freeing.ts',
        find: 'const bytes = absent.has(sha256) ? 0 : await',
        replace: 'const bytes = await',
      },
      {
        file: 'edge-server/freeing/freeing.ts',
        find: 'if (storeEpoch !== this.#parts.store.cloudEpoch) throw',
        replace: 'if (storeEpoch.length === 0) throw',
      },
      {
        file: 'cloud-sync/bridge/downlink/freeing.ts',
        find: 'if (storeEpoch !== tracker.cloudEpoch) throw',
        replace: 'if (storeEpoch === tracker.edgeEpoch) throw',
      },
    ],
    mix: { free: 20, deed: 80, replaceCloud: 15 },
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
    name: 'a box does not check the hash',
    shownBy: 3,
    planted: one('edge-server/intake/intake.ts', '    checkHash(op);\n', ''),
    mix: { forge: 10 },
    cast: SMALL,
  },
  {
    name: 'a box treats every edit of a photograph as another photograph',
    shownBy: 1,
    planted: one(
      'edge-server/intake/intake.ts',
      'if (recorded.length > 0 && !recorded.some((blob) => blob.sha256 === sha256)) throw',
      'if (recorded.length > 0) throw',
    ),
    mix: { deed: 60 },
    cast: SMALL,
  },
  {
    name: 'the cloud treats every edit of a photograph as another photograph',
    shownBy: 1,
    planted: one(
      'cloud-sync/api/intake/cloud-intake.ts',
      'return recorded.length > 0 && !recorded.some(({ sha256 }) => sha256 === blob.sha256) ?',
      'return recorded.length > 0 ?',
    ),
    mix: { deed: 60 },
    cast: SHORE,
  },
  {
    name: 'the cloud ignores the author that a box names',
    shownBy: 1,
    planted: one(
      'cloud-sync/api/intake/cloud-intake.ts',
      'if (op.by !== undefined || claimed === undefined || claimed === null) return op.by ?? person;',
      'if (op.by !== undefined || claimed !== 0) return op.by ?? person;',
    ),
    cast: SHORE,
  },
  {
    name: 'the bridge forgets the photographs that it skipped',
    shownBy: 1,
    planted: one(
      'cloud-sync/bridge/upload/document-uploader.ts',
      'else tracker.addOpen(openItemOf(entry, { blob, again: false, error: null, tries: 0 }));',
      'else void openItemOf;',
    ),
    cast: SHORE,
  },
  {
    name: 'a box does not store cloud receipts',
    shownBy: 1,
    planted: one(
      'edge-server/store/feed.ts',
      '    if (this.#insertReceipt(seq, receipt) === 0) return undefined;',
      "    if (receipt.stage === 'cloud' || this.#insertReceipt(seq, receipt) === 0) return undefined;",
    ),
    cast: SHORE,
  },
  {
    name: 'the bridge passes the box’s feed before the cloud has it',
    shownBy: 1,
    planted: one(
      'cloud-sync/bridge/upload/document-uploader.ts',
      '    await this.#courier.deliver(documents, signal, ({ seq }) => tracker.advanceEdgeCursor(seq));\n',
      '    tracker.advanceEdgeCursor(page.next);\n    await tracker.save();\n    await this.#courier.deliver(documents, signal);\n',
    ),
    mix: { weather: 25, cut: 15, kill: 15 },
    cast: SHORE,
  },
  {
    name: 'the bridge does not notice another box',
    shownBy: 1,
    planted: one(
      'cloud-sync/bridge/state/sync-tracker.ts',
      "if (before === epoch) return 'same';",
      "if (before === epoch || (side === 'edge' && before !== null)) return 'same';",
    ),
    mix: { replaceEdge: 12, free: 0 },
    cast: SHORE,
  },
  {
    name: 'a box answers before its commit',
    shownBy: 5,
    planted: one(
      'edge-server/store/commit-queue.ts',
      "      this.#probe?.('append.before-commit');\n      this.#statements.commit.run();\n",
      '      for (const early of settle.splice(0)) early();\n      this.#scheduled = true;\n      setTimeout(() => {\n        if (!this.#database.open) return;\n        this.#statements.commit.run();\n        this.#scheduled = false;\n        if (this.#queue.length > 0) this.#schedule();\n      }, 300);\n',
    ),
    mix: { kill: 40, deed: 60 },
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
    name: 'an edit also writes unchanged fields',
    shownBy: 19,
    planted: one(
      'src/domain/fold/fold.ts',
      '.filter(([field]) => over === undefined || Object.hasOwn(over, field))',
      '.filter(() => over !== null)',
    ),
    cast: SMALL,
  },
  {
    name: 'the fold orders by tablet clocks',
    shownBy: 5,
    planted: one(
      'src/domain/fold/fold.ts',
      'lc: op.lc ?? 1, value, deletes:',
      'lc: Date.parse(op.madeAt), value, deletes:',
    ),
    mix: { deed: 90, sail: 15, clock: 20 },
    cast: PAIR,
  },
  {
    name: 'a stored fold drops the conflicts of fields that an operation does not write',
    shownBy: 37,
    planted: one(
      'src/server/ops/document-fold.ts',
      'for (const conflict of conflicts) known.get(conflict.field)?.push(conflict);',
      'void conflicts;',
    ),
    mix: CONFLICTS,
    cast: PAIR,
  },
  {
    name: 'a counter counts every operation of a document',
    shownBy: 1,
    planted: one(
      'edge-server/store/documents.ts',
      '    if (counted === countedBefore) return;\n    for (const [name, id] of countedBefore === undefined ? [] : (JSON.parse(countedBefore) as CounterRef[])) this.#count.run(name, id, -1);\n',
      '    void countedBefore;\n',
    ),
    mix: { deed: 60 },
    cast: SMALL,
  },
  {
    name: 'an edit replaces only the first of the writes that it saw',
    shownBy: 16,
    planted: one(
      'src/domain/op/draft.ts',
      'return liveWrites(folded, field).filter((opId) => !differing.has(opId));',
      'return liveWrites(folded, field).filter((opId) => !differing.has(opId)).slice(0, 1);',
    ),
    mix: { deed: 90, sail: 15, attend: 15 },
    cast: PAIR,
  },
  {
    name: 'settling keeps the shown value instead of the chosen one',
    shownBy: 23,
    planted: one('src/domain/op/draft.ts', ': { [field]: value };', ': { [field]: state.folded.doc[field] ?? value };'),
    mix: CONFLICTS,
    cast: PAIR,
  },
  {
    name: 'settling one field drops the conflicts of all fields',
    shownBy: 24,
    planted: one(
      'src/domain/op/draft.ts',
      'over: settleOver(state.folded, field), body:',
      'over: Object.fromEntries([field, ...state.folded.conflicts.map((one) => one.field)].map((name) => [name, liveWrites(state.folded, name)])), body:',
    ),
    mix: CONFLICTS,
    cast: PAIR,
  },
  {
    name: 'the cloud receipts a photograph before it has the bytes',
    shownBy: 62,
    planted: one(
      'cloud-sync/api/intake/cloud-intake.ts',
      '      if (size === undefined) return { needs: [blob.sha256] };\n',
      '',
    ),
    cast: SHORE,
  },
  {
    name: 'a box rejects the cloud’s proof for a photograph that is only ashore',
    shownBy: 53,
    planted: one(
      'edge-server/socket/image-record.ts',
      'if (message.receipt === undefined) return',
      'if (message.receipt !== null) return',
    ),
    mix: { free: 20, deed: 60 },
    cast: SHORE,
  },
  {
    name: 'a record accepted on the cloud’s proof counts as having the bytes',
    shownBy: 1,
    planted: one(
      'edge-server/intake/intake.ts',
      '    if (vouched === undefined && !knownElsewhere) throw await this.#missingBytesError(op.docId, blob.sha256);\n    return undefined;',
      '    if (vouched === undefined && !knownElsewhere) throw await this.#missingBytesError(op.docId, blob.sha256);\n    return blob;',
    ),
    mix: { free: 20, deed: 60 },
    cast: SHORE,
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
    name: 'a bridge waits forever for a record whose op id is used up',
    shownBy: 10,
    planted: one(
      'cloud-sync/bridge/upload/document-uploader.ts',
      'if (again === undefined || !tracker.receipted.has(again.opId)) return false;',
      'if (again === undefined || tracker.receipted.has(again.opId)) return false;',
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
