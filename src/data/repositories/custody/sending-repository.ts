import type { ShownTimeLeft } from '../../../domain/custody/transfer-estimate';
import { nextTimeLeft } from '../../../domain/custody/transfer-estimate';
import type { WireError } from '../../../domain/errors';
import type { ImageId, OpId } from '../../../domain/ids';
import type { OpKind } from '../../../domain/op/op';
import type { OpIndexEntry, StoreRef } from '../../ops/op-index';
import { releaseOp } from '../../ops/ingest';
import { quarantineReason, validReceipts } from '../../sync/custody/custody';
import { owedTo } from '../../sync/sending/outbox';
import { isSameJson } from '../../transport/observable';
import { withoutDetails } from './custody-repository';
import type { LiveQuery, Observable } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';

/** What the sender does now, for the whole tablet: every tab tells the same, whichever of them sends. */
export interface SendingFacts {
  /**
   * `elsewhere`: another tab of this tablet is to send, and was not heard of yet. `waiting`: something is owed and the next
   * try is planned or needs a connection. `paused`: a person made it wait. `stopped`: a person gave up what was in hand;
   * nothing goes until they say so. `done`: nothing is owed.
   */
  readonly state: 'sending' | 'waiting' | 'paused' | 'stopped' | 'done' | 'elsewhere';
  /** Where what is owed goes. */
  readonly to: 'box' | 'shore';
  /** The tab that sends: this one, or another of this tablet. */
  readonly tab: 'here' | 'elsewhere';
  /** What no receipt frees yet. `bytes`: photographs alone, those that the box has on disk already taken off. */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number };
  /** Bytes per second over the last 30 s; null before the first ones. */
  readonly rate: number | null;
  /**
   * ms until all is sent, in whole minutes rounded up (below one minute: half of one); it never goes back and forth. Null
   * where nothing is known.
   */
  readonly remainingMs: number | null;
  /** Photographs on their way. */
  readonly images: readonly { readonly id: ImageId; readonly sent: number; readonly bytes: number }[];
  /** Why the last try ended early. */
  readonly problem: WireError | null;
  /** ms since the epoch of the next try, where one is planned. */
  readonly nextTryAt: number | null;
}

/** An operation that a person has to look at. */
export interface HeldItem {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly reason: WireError;
  readonly at: string;
}

/** The outbox as a person sees it. It belongs to the tablet, whoever is signed in. */
export interface SendingRepository {
  readonly facts: Observable<SendingFacts>;
  readonly held: LiveQuery<HeldItem>;
  /** Stops after the chunk in hand; it outlives a restart. What is half sent goes on from where it was. */
  readonly pause: () => Promise<void>;
  /** Goes on after `pause` or `stop`. */
  readonly resume: () => Promise<void>;
  /** Gives up what is in hand. It stays saved and owed, and nothing goes until `resume`. */
  readonly stop: () => Promise<void>;
  /** Tries at once, without waiting for the back-off. */
  readonly tryNow: () => void;
  /** Takes a held item up again. */
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
        const stops = [opIndex.onChange(show), parts.access.changed.on(show)];
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
    if (!isSameJson(fresh, last)) last = fresh;
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
  const photographs = owed.filter(({ kind }) => kind === 'image');
  const sent = inFlight.reduce((sum, item) => sum + item.sent, 0);
  const bytes = Math.max(0, photographs.reduce((sum, { blob }) => sum + (blob?.bytes ?? 0), 0) - sent);
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
    owed: { records: owed.length - photographs.length, photographs: photographs.length, bytes },
    rate: state === 'sending' ? rate : null,
    remainingMs: rate === null || rate === 0 || state !== 'sending' ? null : Math.round((bytes / rate) * 1000),
    images: inFlight
      .filter((item) => item.bytes > 0)
      .map(({ docId, sent: done, bytes: all }) => ({ id: docId as ImageId, sent: done, bytes: all })),
    problem,
    nextTryAt,
  };
}

/**
 * Owed to the store that counts now; before any pairing, all that no server has receipted, what a rescue copy brought among
 * it.
 */
export function owedOps(ledger: RepositoryContext['opIndex'], life: StoreRef | undefined): readonly OpIndexEntry[] {
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
