import { project } from '../../domain/fold/project';
import type { OpKind } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import type { ReadDoc } from './read-model';
import type { OpRow } from '../ops/database';

/**
 * Folds a document for the screens from its effective operations. It shares members with them and must not be changed.
 *
 * @returns undefined if there are none
 */
export function readDocOf(kind: OpKind, docId: string, rows: readonly OpRow[]): ReadDoc | undefined {
  const projection = project(
    kind,
    docId,
    rows.map(({ op }) => op),
  );
  if (projection === undefined) return undefined;
  const { doc } = projection;
  const survey = doc['survey'] as { id?: unknown } | null | undefined;
  const times = doc as { createdAt?: string; updatedAt?: string; updated?: string };
  return {
    id: docId,
    surveyId: kind === 'image' && typeof survey?.id === 'string' ? survey.id : '',
    isDeleted: projection.deleted,
    createdAt: times.createdAt ?? '',
    updatedAt: times.updatedAt ?? times.updated ?? '',
    doc,
    conflicts: projection.conflicts,
  };
}

export function rowsByDocument(rows: readonly OpRow[]): ReadonlyMap<string, readonly OpRow[]> {
  const found = new Map<string, OpRow[]>();
  for (const row of rows) {
    const key = docKeyOf(row.kind, row.docId);
    const of = found.get(key);
    if (of === undefined) found.set(key, [row]);
    else of.push(row);
  }
  return found;
}
