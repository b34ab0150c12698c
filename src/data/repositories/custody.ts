import type { WireError } from '../../domain/errors';

/**
 * Who holds a record safely (protocol, "Custody (Tablet, Box, Shore, Held for a person) is computed, never stored"):
 * computed from operations, receipts and what the sender is doing now.
 */
export type Custody =
  /** Saved on this tablet alone. `problem` says why the last try did not succeed; it is tried again by itself. */
  | { readonly at: 'tablet'; readonly problem?: WireError }
  /** Being sent now: bytes that the box has on its disk, of all. `fraction` 0..1. */
  | { readonly at: 'on-its-way'; readonly sent: number; readonly bytes: number; readonly fraction: number }
  /** The box aboard has all of it and signed for it. */
  | { readonly at: 'box'; readonly node: string; readonly storedAt: string }
  /** The cloud has all of it and signed for it. */
  | { readonly at: 'shore'; readonly node: string; readonly storedAt: string }
  /** A person has to look: the box refused it, or what lies here is damaged. Nothing was deleted. */
  | { readonly at: 'held'; readonly reason: WireError };
