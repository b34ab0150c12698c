import type { OpId } from '../../domain/ids';
import type { Json } from '../../domain/json';
import type { OpKind } from '../../domain/op/op';
import type { Live } from './live';

/** One field that two people wrote without seeing each other's value (protocol, "Fold"). */
export interface ConflictView {
  readonly kind: OpKind;
  readonly docId: string;
  readonly field: string;
  /** The value shown now. */
  readonly shown: Json;
  /** The other values, each with the operation that wrote it, and by whom and when where that is known. */
  readonly others: readonly { readonly opId: OpId; readonly value: Json; readonly by: string | null; readonly madeAt: string | null }[];
}

/** Values that wait for a person's word. */
export interface ConflictRepository {
  readonly all: Live<ConflictView>;
  /** Says which value holds; it replaces every live one of that field. @throws ReefError `not-found`, `storage-full` */
  readonly settle: (of: { kind: OpKind; docId: string; field: string }, value: Json) => Promise<void>;
}
