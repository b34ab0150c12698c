import { z } from 'zod';
import { sha256Schema } from '../../../src/domain/ids';
import { OP_KINDS } from '../../../src/domain/op/op';

const count = z.int().min(0);

/** Bytes of an operation that the cloud still needs before it gives a receipt. */
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
  /** The bytes are to be brought again though there is a receipt: the cloud said that it does not have them any more. */
  again: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tries: count,
});

const rejectedSchema = z.object({ seq: count, opId: z.string(), code: z.string(), message: z.string(), tries: count });

export const bridgeStateSchema = z.object({
  v: z.literal(1),
  /** The box's feed: every entry up to `cursor` has the cloud's receipt aboard or is in `open`. */
  edge: z.object({ epoch: z.string().nullable(), cursor: count }),
  /** The cloud's feed: every entry up to `cursor` was taken aboard or is in `strayed`. */
  cloud: z.object({ epoch: z.string().nullable(), cursor: count }),
  open: z.array(openSchema),
  strayed: z.array(rejectedSchema),
  /** What the present day of the budget has used; see `DayBudget`. */
  day: z.object({ usedBytes: z.number().min(0), ms: z.number().min(0), cloudTime: z.number().nullable() }),
  /** The last verification: the console's wish that it answered, and what came of it. */
  verified: z.object({ wish: z.string(), at: z.string(), asked: count, missing: count }).nullable(),
});

/** What a bridge remembers over restarts. An older one than the truth costs a repetition, never a record. */
export type BridgeState = z.infer<typeof bridgeStateSchema>;

/** An operation past which the cursor moved though the cloud has not receipted it: parked for its bytes, or refused. */
export type OpenItem = z.infer<typeof openSchema>;
export type OwedBlob = z.infer<typeof owedBytesSchema>;
/** An item whose bytes the cloud needs. */
export type OwedItem = OpenItem & { readonly blob: OwedBlob };
/** An entry of the cloud's feed that the box would not take. */
export type RejectedEntry = z.infer<typeof rejectedSchema>;

/** Where a bridge keeps its state. */
export interface BridgeStateStore {
  /** The state as it was last saved; null where there is none that can be read. */
  load(): Promise<BridgeState | null>;
  /** Replaces it, durably: after a power cut there is this one or the one before. */
  save(state: BridgeState): Promise<void>;
}

/** A bridge that knows nothing yet. */
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
