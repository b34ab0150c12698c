import type { z } from 'zod';
import { readRecord } from '../record';
import type { RecordDefinition } from '../record';
import { RECORDS } from '../records';
import { idFieldOf } from './draft';
import type { Op } from './op';
import { foldableBody } from './server-owned';

/**
 * Why the content of an operation cannot be accepted ashore, in words for a person; undefined where it can. A newer app than
 * the cloud may mean by a field what the cloud does not know: such a record is held until the cloud knows.
 */
export function contentProblem(op: Op): string | undefined {
  const definition: RecordDefinition<z.ZodType> = RECORDS[op.kind];
  if (op.schema > definition.version)
    return `The record is of version ${op.schema}; this cloud knows versions up to ${definition.version}.`;
  // What a server sets is ignored in what clients write, so it cannot make a record wrong.
  const read = readRecord(definition, { ...foldableBody(op.kind, op.body), [idFieldOf(op.kind)]: op.docId }, op.schema);
  return read.status === 'ready'
    ? undefined
    : `The record is not as it should be: ${read.problems.slice(0, 3).join('; ').slice(0, 300)}.`;
}
