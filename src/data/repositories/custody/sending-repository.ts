import type { ShownTimeLeft } from '../../../domain/custody/transfer-estimate';
import { nextTimeLeft } from '../../../domain/custody/transfer-estimate';
import type { WireError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import type { OpKind } from '../../../domain/op/op';
import type { StoreRef } from '../../ops/database';
import type { OpIndexEntry } from '../../ops/op-index';
import { releaseOp } from '../../ops/holds';
import { quarantineReason, validReceipts } from '../../sync/custody/custody';
import { owedAmount, owedTo } from '../../sync/sending/outbox';
import { isJsonEqual } from '../../../base/observable';
import { withoutDetails } from './custody-repository';
import type { LiveQuery, Observable } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';

export interface SendingFacts {
  /**
   * `elsewhere`: another tab is to send and has not reported yet. `waiting`: the next attempt is scheduled or needs a
   * connection. `paused`, `stopped`: by a person; `stopped` cancelled what was being sent. `done`: nothing is owed.
   */
  readonly state: 'sending' | 'waiting' | 'paused' | 'stopped' | 'done' | 'elsewhere';
  readonly to: 'box' | 'shore';
  /** Tab that sends: this one, or another of this tablet. */
  readonly tab: 'here' | 'elsewhere';
  /**
   * Work without a receipt. `photographs`: those whose bytes are still to send, with their `bytes`, without what is
   * already on the box's disk. `records`: all other operations, edits of photographs included.
   */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number };
  /** Bytes per second over the last 30 s; null before the first ones. */
  readonly rate: number | null;
  /**
   * ms until all is sent, in whole minutes rounded up (below one minute: half of one), without jumping back and forth.
   * Null if unknown.
   */
  readonly remainingMs: number | null;
  /** Reason that the last attempt ended early. */
  readonly problem: WireError | null;
  /** Next attempt in ms since the epoch, if scheduled. */
  readonly nextTryAt: number | null;
}

export interface HeldItem {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly reason: WireError;
  readonly at: string;
}

/** Outbox as a person sees it. It belongs to the tablet, not to the signed-in person. */
export interface SendingRepository {
  readonly facts: Observable<SendingFacts>;
  readonly held: LiveQuery<HeldItem>;
  /** Stops after the current chunk, across restarts. Partial uploads continue from their offset. */
  readonly pause: () => Promise<void>;
  /** Continues after `pause` or `stop`. */
  readonly resume: () => Promise<void>;
  /** Cancels the current sending. It stays saved and owed; nothing is sent until `resume`. */
  readonly stop: () => Promise<void>;
  /** Retries at once, without the back-off. */
  readonly tryNow: () => void;
  /** Releases a held item. */
  readonly releaseHeld: (opId: OpId) => Promise<void>;
}

export function createSendingRepository(parts: RepositoryContext): SendingRepository {
  const { store, opIndex, sync } = parts;
  return {
    facts: sendingFacts(parts),
    held: createLiveQuery<HeldItem>({
      resetOn: parts.access.changed,
      start: (tell) => {
        const show = (): void => tell.items(heldItems(parts));
        show();
        const stops = [opIndex.onChange(show), parts.access.changed.subscribe(show)];
        return () => stops.forEach((stop) => stop());
      },
    }),
    pause: () => store.setMeta('sending', 'paused'),
    resume: () => store.setMeta('sending', 'on'),
    stop: async () => {
      await store.setMeta('sending', 'stopped');
      sync.progress.cancel();
    },
    tryNow: () => {
      sync.progress.tryNow();
      parts.edgeLink.retryNow();
      parts.cloudLink.retryNow();
      void parts.connectivity.check();
    },
    releaseHeld: async (opId) => {
      await releaseOp(store, opId);
      await opIndex.follow();
      sync.progress.tryNow();
    },
  };
}

function sendingFacts(parts: RepositoryContext): Observable<SendingFacts> {
  const { opIndex, sync } = parts;
  let shown: ShownTimeLeft | null = null;
  const next = (): SendingFacts => {
    const { remainingMs, ...facts } = currentFacts(parts);
    if (facts.state !== 'sending') shown = null;
    else if (remainingMs !== null) shown = nextTimeLeft(shown, remainingMs, parts.store.host.clock.elapsed());
    return { ...facts, remainingMs: shown === null ? null : Math.max(30_000, shown.minutes * 60_000) };
  };
  let last = next();
  const refresh = (): void => {
    const fresh = next();
    if (!isJsonEqual(fresh, last)) last = fresh;
  };
  return {
    get: () => {
      refresh();
      return last;
    },
    subscribe: (onChange) => {
      const tell = (): void => onChange();
      const stops = [
        opIndex.onChange(tell),
        parts.connectivity.answeringEdge.subscribe(tell),
        parts.connectivity.answeringCloud.subscribe(tell),
        sync.progress.facts.subscribe(tell),
        sync.sendingTab.subscribe(tell),
        sync.sendingMode.subscribe(tell),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

function currentFacts({ opIndex, sync, connectivity }: RepositoryContext): SendingFacts {
  const { active, inFlight, rate, problem, nextTryAt } = sync.progress.facts.get();
  const owed = owedOps(opIndex, connectivity.targetStore());
  const amount = owedAmount(opIndex, owed, connectivity.targetStore(), inFlight);
  const tab = sync.sendingTab.get();
  const state = ((): SendingFacts['state'] => {
    if (owed.length === 0) return 'done';
    const wish = sync.sendingMode.get();
    if (wish !== 'on') return wish;
    if (inFlight.length > 0) return 'sending';
    return tab === 'elsewhere' && !active ? 'elsewhere' : 'waiting';
  })();
  return {
    state,
    to: connectivity.targetKind(),
    tab,
    owed: amount,
    rate: state === 'sending' ? rate : null,
    remainingMs: rate === null || rate === 0 || state !== 'sending' ? null : Math.round((amount.bytes / rate) * 1000),
    problem,
    nextTryAt,
  };
}

/** Operations owed to the current store; before any pairing, all without a receipt. */
function owedOps(ledger: RepositoryContext['opIndex'], life: StoreRef | undefined): readonly OpIndexEntry[] {
  if (life !== undefined) return owedTo(ledger, life);
  return [...ledger.entries.values()].filter(({ opId }) => ledger.receipts(opId).length === 0);
}

function heldItems({ opIndex, access }: RepositoryContext): readonly HeldItem[] {
  return [...opIndex.entries.values()].flatMap(({ opId, kind, docId }) => {
    const row = opIndex
      .holds(opId)
      .find(({ nodeId, storeEpoch }) =>
        opIndex.epochs.some((life) => life.nodeId === nodeId && life.storeEpoch === storeEpoch),
      );
    const valid = validReceipts(opIndex, opId);
    const refused = valid.some(({ stage, accepted }) => stage === 'cloud' && accepted)
      ? undefined
      : valid.find(({ accepted }) => !accepted);
    const visibleReason = (reason: WireError): WireError =>
      access.canSeeDocument(kind, docId) ? reason : withoutDetails(reason);
    if (row !== undefined) return [{ opId, kind, docId, reason: visibleReason(row.error), at: row.at }];
    if (refused === undefined) return [];
    return [{ opId, kind, docId, reason: visibleReason(quarantineReason(refused)), at: refused.storedAt }];
  });
}
