import { isObject } from '../../src/domain/json';
import type { JsonObject } from '../../src/domain/json';
import { recordOwner } from '../../src/domain/policy/topic-policy';
import { LIMITS } from '../../src/domain/limits';
import type { ChangeEntry } from '../../src/protocol/changes';
import type { AppendStore } from '../../src/server/ops/append-store';

/**
 * Names of those who wrote the entries of a page or own their records, by uid: of a profile, nothing else crosses to
 * other people's tablets. People without a name are left out.
 */
export async function authorNames(
  store: Pick<AppendStore, 'document'>,
  entries: readonly ChangeEntry[],
): Promise<Readonly<Record<string, string>>> {
  const uids = new Set<string>();
  for (const { op, by } of entries) {
    if (op === undefined || op.kind === 'profile') continue;
    for (const uid of [op.by ?? by, recordOwner(op.body)]) if (typeof uid === 'string') uids.add(uid);
  }
  const named = await Promise.all(
    [...uids].map(async (uid) => [uid, nameIn((await store.document('profile', uid))?.folded)] as const),
  );
  return Object.fromEntries(named.filter(([, name]) => name !== ''));
}

function nameIn(folded: { readonly doc: JsonObject; readonly deleted: boolean } | undefined): string {
  const name = folded?.doc['name'];
  if (folded?.deleted !== false || !isObject(name)) return '';
  return ['first', 'last']
    .map((part) => name[part])
    .filter((part): part is string => typeof part === 'string' && part.trim() !== '')
    .join(' ')
    .slice(0, LIMITS.crewNameMax)
    .toWellFormed();
}
