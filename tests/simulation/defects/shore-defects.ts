import type { Defect } from './defect';
import { LIVES, TWO_LIVES, SHORE, one } from './defect';

/** Mistakes of bridge and cloud. */
export const SHORE_DEFECTS: readonly Defect[] = [
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
];
