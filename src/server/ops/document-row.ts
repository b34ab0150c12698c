import { fold } from '../../domain/fold/fold';
import type { Folded } from '../../domain/fold/fold';
import type { Json } from '../../domain/json';
import { isObject } from '../../domain/json';
import type { Op, OpKind } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';
import { authorField } from '../../domain/policy/claimed-roles';

/** Counter and the id it counts for: `['image.analyses', imageId]`. */
export type CounterRef = readonly [name: CounterName, id: string];
export type CounterName = 'survey.images' | 'image.analyses' | 'image.analyses_expert' | 'person.analyses';

export interface AcceptedOp {
  readonly op: Op;
  readonly by: string | null;
  /** Author's claimed roles that this server confirmed at intake. */
  readonly roles: readonly ClaimedRole[];
}

/** Row of a document: the fold, and the columns for queries. */
export interface DocumentRow {
  readonly kind: OpKind;
  readonly docId: string;
  readonly folded: Folded;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly surveyId: string | null;
  readonly roles: readonly ClaimedRole[];
  /** Counters that this document increments; none once it is deleted. */
  readonly counted: readonly CounterRef[];
}

/** Builds the row of a document from its accepted operations in seq order. Only confirmed roles count. */
export function documentRow(kind: OpKind, docId: string, accepted: readonly AcceptedOp[]): DocumentRow {
  const folded = fold(accepted.map(({ op }) => op));
  const times = accepted.map(({ op }) => op.madeAt).sort();
  const { doc } = folded;
  const surveyId = kind === 'image' || kind === 'analysis' ? text(member(doc['survey'], 'id')) : null;
  const imageId = kind === 'analysis' ? text(member(doc['image'], 'id')) : null;
  const owner = kind === 'profile' ? null : (text(member(doc['user'], 'uid')) ?? accepted[0]?.by ?? null);
  // The last of the live writes is shown.
  const shownBy = folded.live[authorField(kind)]?.at(-1);
  const roles = accepted.find(({ op }) => op.opId === shownBy)?.roles ?? [];
  const counted: CounterRef[] = [];
  if (!folded.deleted) {
    if (kind === 'image' && surveyId !== null) counted.push(['survey.images', surveyId]);
    if (kind === 'analysis') {
      const expert = member(doc['user'], 'isExpert') === true && roles.includes('isExpert');
      if (imageId !== null) counted.push([expert ? 'image.analyses_expert' : 'image.analyses', imageId]);
      if (owner !== null) counted.push(['person.analyses', owner]);
    }
  }
  return { kind, docId, folded, createdAt: times[0] ?? '', updatedAt: times.at(-1) ?? '', surveyId, roles, counted };
}

function member(value: Json | undefined, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
