import type { z } from 'zod';
import { readRecord } from '../record';
import type { RecordDefinition } from '../record';
import { RECORDS } from '../records';
import { idFieldOf } from './draft';
import type { Op } from './op';
import { foldableBody } from './server-owned';

/**
 * Returns a plain message if the cloud cannot accept an operation's content, else undefined. A record from a newer app
 * is held until the cloud knows its version.
 */
export function contentProblem(op: Op): string | undefined {
  const definition: RecordDefinition<z.ZodType> = RECORDS[op.kind];
  if (op.schema > definition.version)
    return `The record has version ${op.schema}; this cloud supports versions up to ${definition.version}.`;
  // Server-owned fields of clients are ignored, so they cannot make a record invalid.
  const read = readRecord(definition, { ...foldableBody(op.kind, op.body), [idFieldOf(op.kind)]: op.docId }, op.schema);
  return read.status === 'ready'
    ? undefined
    : `The record is not valid: ${read.problems.slice(0, 3).join('; ').slice(0, 300)}.`;
}
