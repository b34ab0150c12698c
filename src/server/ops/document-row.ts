import type { Folded } from '../../domain/fold/fold';
import type { OpId } from '../../domain/ids';
import type { Json } from '../../domain/json';
import { isObject } from '../../domain/json';
import type { Op, OpKind } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';

/** Counter and the id it counts for: `['image.analyses', imageId]`. */
export type CounterRef = readonly [name: CounterName, id: string];
export type CounterName = 'survey.images' | 'image.analyses' | 'image.analyses_expert' | 'person.analyses';

export interface AcceptedOp {
  readonly op: Op;
  readonly by: string | null;
  /** Author's claimed roles that this server confirmed at intake. */
  readonly roles: readonly ClaimedRole[];
}

/** Facts next to a stored fold that the next operation needs; stored as JSON. */
export interface FoldBasis {
  /** Author of the first operation. */
  readonly by: string | null;
  /** See `greatestLc`. */
  readonly lc: number;
  /** Size of the live writes, see `sizeOfWrite`. */
  readonly chars: number;
  readonly members: number;
  /** `lc` of each live write, and 1 if its body is deleted. */
  readonly writes: Readonly<Record<OpId, readonly [lc: number, deletes: 0 | 1]>>;
  /** Names by field whose writes have not arrived; absent: none. */
  readonly awaited?: Readonly<Record<string, readonly string[]>>;
  /** Confirmed roles of the authors of live writes; absent: none. */
  readonly roles?: Readonly<Record<string, readonly ClaimedRole[]>>;
  /** Shown values that the document lacks, being named `*` outside of an analysis, or hidden by such a field. */
  readonly values?: Readonly<Record<string, Json>>;
}

/** Row of a document: the fold, and the columns for queries. */
export interface DocumentRow {
  readonly kind: OpKind;
  readonly docId: string;
  readonly folded: Folded;
  /** Facts that the next operation continues from. */
  readonly basis: FoldBasis;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly surveyId: string | null;
  readonly roles: readonly ClaimedRole[];
  /** Counters that this document increments; none once it is deleted. */
  readonly counted: readonly CounterRef[];
}

/** Adds the columns for queries to a fold. */
export function rowOfFold(fold: Omit<DocumentRow, 'surveyId' | 'counted'>): DocumentRow {
  const { kind, folded, basis, roles } = fold;
  const { doc } = folded;
  const surveyId = kind === 'image' || kind === 'analysis' ? text(member(doc['survey'], 'id')) : null;
  const imageId = kind === 'analysis' ? text(member(doc['image'], 'id')) : null;
  const owner = kind === 'profile' ? null : (text(member(doc['user'], 'uid')) ?? basis.by);
  const counted: CounterRef[] = [];
  if (!folded.deleted) {
    if (kind === 'image' && surveyId !== null) counted.push(['survey.images', surveyId]);
    if (kind === 'analysis') {
      const expert = member(doc['user'], 'isExpert') === true && roles.includes('isExpert');
      if (imageId !== null) counted.push([expert ? 'image.analyses_expert' : 'image.analyses', imageId]);
      if (owner !== null) counted.push(['person.analyses', owner]);
    }
  }
  return { ...fold, surveyId, counted };
}

function member(value: Json | undefined, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
