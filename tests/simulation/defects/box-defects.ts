import type { Planted } from '../run';
import type { Defect } from './defect';
import { SMALL, SHORE, one } from './defect';

/** Bridge that asks before sending, which is no defect: the box must still retain what is not ashore. */
const ASKS_FIRST: Planted = {
  file: 'cloud-sync/bridge/bridge.ts',
  find: 'if (news) await this.#pull(signal);',
  replace: 'if (frees) await freeAboard(parts, courier, signal);\n    if (news) await this.#pull(signal);',
};

/** Mistakes of a box: what it accepts, answers, stores and frees. */
export const BOX_DEFECTS: readonly Defect[] = [
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
];
