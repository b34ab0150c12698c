import { ANALYSIS } from './analysis/analysis';
import { IMAGE } from './image/image';
import type { OpKind } from './op/op';
import { SURVEY } from './survey/survey';
import { USER } from './user/user';

/** Record definition for each kind of operation. */
export const RECORDS = { profile: USER, survey: SURVEY, image: IMAGE, analysis: ANALYSIS } as const satisfies Record<
  OpKind,
  unknown
>;

/** Schema version of new operations of this kind. */
export function schemaVersion(kind: OpKind): number {
  return RECORDS[kind].version;
}
