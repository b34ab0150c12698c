import { fold } from '../../domain/fold/fold';
import type { Folded } from '../../domain/fold/fold';
import type { Json } from '../../domain/json';
import { isObject } from '../../domain/json';
import type { Op, OpKind } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';
import { authorField } from '../../domain/policy/claimed-roles';

/** Something that is counted, and for what: `['image.analyses', imageId]`. */
export type CounterRef = readonly [name: CounterName, id: string];
export type CounterName = 'survey.images' | 'image.analyses' | 'image.analyses_expert' | 'person.analyses';

/** An accepted operation and who it counts for. */
export interface AcceptedOp {
  readonly op: Op;
  readonly by: string | null;
  /** What it says that its author is and this server knew when it took it in. */
  readonly roles: readonly ClaimedRole[];
}

/** A document as its row says it: the fold, and the columns that queries use. */
export interface DocumentRow {
  readonly kind: OpKind;
  readonly docId: string;
  readonly folded: Folded;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly surveyId: string | null;
  /** What its author is, of what the document says they are; see `withKnownRoles`. */
  readonly roles: readonly ClaimedRole[];
  /** What this document adds one to; nothing once it is deleted. */
  readonly counted: readonly CounterRef[];
}

/** The row of a document, from all of its accepted operations in the order of their seq. What a body says of its author's roles counts as far as the server knew it of them. */
export function documentRow(kind: OpKind, docId: string, accepted: readonly AcceptedOp[]): DocumentRow {
  const folded = fold(accepted.map(({ op }) => op));
  const times = accepted.map(({ op }) => op.madeAt).sort();
  const { doc } = folded;
  const surveyId = kind === 'image' || kind === 'analysis' ? text(member(doc['survey'], 'id')) : null;
  const imageId = kind === 'analysis' ? text(member(doc['image'], 'id')) : null;
  const owner = kind === 'profile' ? null : (text(member(doc['user'], 'uid')) ?? accepted[0]?.by ?? null);
  // The last of the live writes is the one that is shown.
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
