import { canonicalJson } from '../../src/domain/canonical';
import type { JsonObject } from '../../src/domain/json';
import type { OpDraft } from '../../src/domain/op/draft';
import type { Op } from '../../src/domain/op/op';
import type { ModelDoc } from './model-fold';
import { modelOf } from './model-fold';
import { Violation } from './oracle';

/** Change that a user intends to make to the visible document. */
export type Intent =
  | { readonly deed: 'edit'; readonly changes: JsonObject }
  | { readonly deed: 'settle'; readonly field: string; readonly value: JsonObject[string] }
  | { readonly deed: 'delete' }
  | { readonly deed: 'restore' };

const MARKS = ['isDeleted', 'deletedAt'];

/**
 * Checks that a draft has exactly the intended effect on what the user saw, by the simulator's own reading of the
 * protocol page ("Fold").
 *
 * @param ops the document's operations on the tablet at drafting time
 * @throws Violation
 */
export function checkIntent(intent: Intent, ops: readonly Op[], draft: OpDraft): void {
  const before = modelOf(ops);
  const after = modelOf([...ops, { ...draft, opId: 'zzzzzzzzzzzzzzzz-1', sha256: '' } as unknown as Op]);
  const wrong = differences(meant(intent, before, draft), after);
  if (wrong !== undefined)
    throw new Violation(`${intent.deed} of ${draft.kind} ${draft.docId} does something else than was meant: ${wrong}`);
}

/** Expected document afterwards. */
function meant(intent: Intent, before: ModelDoc, draft: OpDraft): ModelDoc {
  const fieldOf = (conflict: string): string => conflict.slice(0, conflict.indexOf(' '));
  switch (intent.deed) {
    case 'edit': {
      const changes = textsOf(intent.changes);
      // A value also written by someone else is no longer a conflict.
      const conflicts = before.conflicts.filter(
        (conflict) => !conflict.endsWith(` ${changes[fieldOf(conflict)] ?? '\n'}`),
      );
      return { values: { ...before.values, ...changes }, conflicts, deleted: before.deleted };
    }
    case 'settle':
      // Deletion is more than a field: settling it deletes the document, or restores it.
      if (intent.field === 'isDeleted')
        return meant({ deed: intent.value === true ? 'delete' : 'restore' }, before, draft);
      return {
        values: { ...before.values, ...textsOf({ [intent.field]: intent.value }) },
        conflicts: before.conflicts.filter((conflict) => fieldOf(conflict) !== intent.field),
        deleted: before.deleted,
      };
    case 'delete':
      return {
        values: { ...before.values, ...textsOf({ isDeleted: true, deletedAt: draft.madeAt }) },
        conflicts: [],
        deleted: true,
      };
    case 'restore':
      return {
        values: { ...before.values, ...textsOf({ isDeleted: false, deletedAt: null }) },
        conflicts: before.conflicts.filter((conflict) => !MARKS.includes(fieldOf(conflict))),
        deleted: false,
      };
  }
}

function textsOf(fields: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, canonicalJson(value)]));
}

function differences(wanted: ModelDoc, found: ModelDoc): string | undefined {
  for (const field of new Set([...Object.keys(wanted.values), ...Object.keys(found.values)])) {
    if (wanted.values[field] !== found.values[field])
      return `${field} is ${found.values[field] ?? 'nothing'} instead of ${wanted.values[field] ?? 'nothing'}`;
  }
  if (JSON.stringify(wanted.conflicts) !== JSON.stringify(found.conflicts))
    return `its conflicts are ${JSON.stringify(found.conflicts)} instead of ${JSON.stringify(wanted.conflicts)}`;
  return wanted.deleted === found.deleted ? undefined : `it is ${found.deleted ? '' : 'not '}deleted`;
}
