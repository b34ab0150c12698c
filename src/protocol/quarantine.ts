/** Staff's view of the cloud's quarantine (protocol, "Administration"). */
import { z } from 'zod';
import { opIdSchema } from '../domain/ids';
import { OP_KINDS } from '../domain/op/op';

/** Operations that one request releases or dismisses by name, or releases of a group. */
export const QUARANTINE_AT_ONCE = 200;

const filterShape = {
  kind: z.enum(OP_KINDS).optional(),
  /** Reason of a group, as `GET /api/quarantine/groups` names it. */
  reason: z.string().max(400).optional(),
  /** Submitter of a group, likewise. */
  submitter: z.string().max(80).optional(),
  /** Text in the operation or its reason; case does not count. */
  q: z.string().min(1).max(200).optional(),
};

/** Operations in quarantine that match all members; without `dismissed`, those that are not dismissed. */
const quarantineFilterSchema = z.object({ ...filterShape, dismissed: z.boolean().optional() });
export type QuarantineFilter = z.infer<typeof quarantineFilterSchema>;

const flag = z.enum(['true', 'false']).transform((word) => word === 'true');

/** `GET /api/quarantine`: `since` is the `seq` of the previous page's last item. */
export const quarantineParamsSchema = z.object({
  ...filterShape,
  dismissed: flag.optional(),
  since: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** `GET /api/quarantine/groups`. */
export const quarantineGroupsParamsSchema = z.object({
  ...filterShape,
  dismissed: flag.optional(),
  by: z.enum(['reason', 'submitter']).default('reason'),
});

/** `POST /api/quarantine/release` and `/dismiss`: named operations, or all that match, up to a `seq` that staff saw. */
export const quarantineSelectionSchema = z.union([
  z.object({ opIds: z.array(opIdSchema).min(1).max(QUARANTINE_AT_ONCE) }),
  z.object({ group: quarantineFilterSchema, upTo: z.int().min(0) }),
]);
export type QuarantineSelection = z.infer<typeof quarantineSelectionSchema>;

/** `POST /api/quarantine/restore`. */
export const quarantineRestoreSchema = z.object({ opIds: z.array(opIdSchema).min(1).max(QUARANTINE_AT_ONCE) });

/** Group with a common kind and reason, or a common submitter. Times are ISO 8601 UTC. */
export interface QuarantineGroup {
  readonly kind?: (typeof OP_KINDS)[number];
  readonly reason?: string;
  readonly submitter?: string;
  readonly count: number;
  readonly submitters: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastSeq: number;
}
