import type { Defect } from './defect';
import { SMALL, PAIR, CONFLICTS, one } from './defect';

/** Mistakes in documents: how operations fold, and how conflicts are kept and resolved. */
export const FOLD_DEFECTS: readonly Defect[] = [
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
];
