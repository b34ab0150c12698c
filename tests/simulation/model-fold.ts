import { canonicalJson } from '../../src/domain/canonical';
import type { Json, JsonObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';

/** Expected document: the simulator's own reading of the protocol page, independent of production's fold. */
export interface ModelDoc {
  readonly values: Readonly<Record<string, string>>;
  readonly conflicts: readonly string[];
  readonly deleted: boolean;
}

/** Fields outside the fold: ids, times and those only servers set. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  profile: ['admin', 'isExpert', 'verified', 'domains', 'isEmailVerified', 'lastLoginAt', 'since', 'photoURL'],
  survey: ['priority', 'datasets'],
  image: ['token', 'url', 'color_corrected', 'ml', 'seed'],
  analysis: [],
};
const MEMBERS_LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  survey: ['images'],
  image: ['analysis', 'analysis_expert'],
};

/** Fields that an operation may write. */
export function fieldsOf(op: Op): JsonObject {
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(op.body)) {
    if (['id', 'uid', 'createdAt', 'updatedAt', 'updated'].includes(name) || LEFT_OUT[op.kind]?.includes(name) === true)
      continue;
    const members = MEMBERS_LEFT_OUT[op.kind];
    if (
      name === 'meta' &&
      members !== undefined &&
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value)
    ) {
      fields[name] = Object.fromEntries(
        Object.entries(value).filter(([member]) => !members.includes(member)),
      ) as JsonObject;
    } else fields[name] = value as Json;
  }
  return op.kind === 'analysis' ? { '*': fields } : fields;
}

/** Folds operations by the text of the protocol page ("Fold"), slowly. */
export function modelOf(ops: readonly Op[]): ModelDoc {
  const writes = ops.flatMap((op) =>
    Object.entries(fieldsOf(op))
      .filter(([field]) => op.over === undefined || Object.hasOwn(op.over, field))
      .map(([field, value]) => ({ field, value, op })),
  );
  const live = writes.filter(({ field, op }) => !ops.some(({ over }) => over?.[field]?.includes(op.opId) === true));
  const values: Record<string, string> = {};
  const conflicts: string[] = [];
  let shownDeleted = false;
  for (const field of new Set(live.map((write) => write.field))) {
    const standing = live.filter((write) => write.field === field);
    const shown = standing.reduce((a, b) =>
      ((a.op.lc ?? 1) - (b.op.lc ?? 1) || (a.op.opId < b.op.opId ? -1 : 1)) > 0 ? a : b,
    );
    const text = canonicalJson(shown.value);
    values[field] = text;
    if (field === 'isDeleted') shownDeleted = shown.value === true;
    if (field === '*') shownDeleted = (shown.value as JsonObject)['isDeleted'] === true;
    for (const { op, value } of standing)
      if (canonicalJson(value) !== text) conflicts.push(`${field} ${op.opId} ${canonicalJson(value)}`);
  }
  return {
    values,
    conflicts: conflicts.sort(),
    deleted: shownDeleted && live.every(({ op }) => op.body['isDeleted'] === true),
  };
}
