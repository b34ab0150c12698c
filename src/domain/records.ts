import { ANALYSIS } from './analysis/analysis';
import { IMAGE } from './image/image';
import type { OpKind } from './op/op';
import { SURVEY } from './survey/survey';
import { USER } from './user/user';

/** The record that each kind of operation writes. */
export const RECORDS = { profile: USER, survey: SURVEY, image: IMAGE, analysis: ANALYSIS } as const satisfies Record<
  OpKind,
  unknown
>;

/** What a new operation of this kind says in `schema`. */
export function schemaVersion(kind: OpKind): number {
  return RECORDS[kind].version;
}
