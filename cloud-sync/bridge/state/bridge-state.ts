import { z } from 'zod';
import { sha256Schema } from '../../../src/domain/ids';
import { OP_KINDS } from '../../../src/domain/op/op';

const count = z.int().min(0);

/** Bytes of an operation that the cloud needs for its receipt. */
const owedBytesSchema = z.object({
  sha256: sha256Schema,
  bytes: z.int().min(1),
  type: z.string(),
  surveyId: z.string().nullable(),
  /** 1 goes first, 5 last. */
  priority: z.int().min(1).max(5),
});

const openSchema = z.object({
  opId: z.string(),
  seq: count,
  kind: z.enum(OP_KINDS),
  madeAt: z.string(),
  blob: owedBytesSchema.nullable(),
  /** True if the bytes must be sent again despite a receipt: the cloud no longer has them. */
  again: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tries: count,
});

const rejectedSchema = z.object({ seq: count, opId: z.string(), code: z.string(), message: z.string(), tries: count });

export const bridgeStateSchema = z.object({
  v: z.literal(1),
  /** The box's feed: every entry up to `cursor` has the cloud's receipt on the box or is in `open`. */
  edge: z.object({ epoch: z.string().nullable(), cursor: count }),
  /** The cloud's feed: every entry up to `cursor` is stored on the box or is in `strayed`. */
  cloud: z.object({ epoch: z.string().nullable(), cursor: count }),
  open: z.array(openSchema),
  strayed: z.array(rejectedSchema),
  /** Use of the current budget day; see `DayBudget`. */
  day: z.object({ usedBytes: z.number().min(0), ms: z.number().min(0), cloudTime: z.number().nullable() }),
  /** Last verification: the console's request that it answered, and its result. */
  verified: z.object({ wish: z.string(), at: z.string(), asked: count, missing: count }).nullable(),
});

/** Persistent state of a bridge. An outdated one costs a repetition, never a record. */
export type BridgeState = z.infer<typeof bridgeStateSchema>;

/** Operation behind the cursor without the cloud's receipt: parked for its bytes, or refused. */
export type OpenItem = z.infer<typeof openSchema>;
export type OwedBlob = z.infer<typeof owedBytesSchema>;
export type OwedItem = OpenItem & { readonly blob: OwedBlob };
/** Entry of the cloud's feed that the box rejected. */
export type RejectedEntry = z.infer<typeof rejectedSchema>;

export interface BridgeStateStore {
  /** Loads the last saved state; null if there is none that can be read. */
  load(): Promise<BridgeState | null>;
  /** Replaces the state durably: after a power cut it is this one or the previous one. */
  save(state: BridgeState): Promise<void>;
}

export function newBridgeState(): BridgeState {
  return {
    v: 1,
    edge: { epoch: null, cursor: 0 },
    cloud: { epoch: null, cursor: 0 },
    open: [],
    strayed: [],
    day: { usedBytes: 0, ms: 0, cloudTime: null },
    verified: null,
  };
}
