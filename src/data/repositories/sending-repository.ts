import type { WireError } from '../../domain/errors';
import type { OpKind } from '../../domain/op/op';
import type { ImageId, OpId } from '../../domain/ids';
import type { LedgerEntry, StoreLife } from '../ops/ledger';
import { release } from '../ops/take-in';
import { quarantineReason, validReceipts } from '../sync/custody';
import { owedTo } from '../sync/outbox';
import { sameFacts } from '../transport/signal';
import type { Live, Observable } from './live';
import { live } from './live-query';
import type { Parts } from './parts';

/** What the sender does now, for the whole tablet. */
export interface SendingFacts {
  /**
   * `elsewhere`: another tab of this tablet sends. `waiting`: something is owed and the next try is planned or needs a
   * connection. `done`: nothing is owed.
   */
  readonly state: 'sending' | 'waiting' | 'paused' | 'done' | 'elsewhere';
  /** What no receipt frees yet. `bytes`: photographs alone, those that the box has on disk already taken off. */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number };
  /** Bytes per second over the last chunks; null before the first one. */
  readonly rate: number | null;
  /** ms until all is sent at that rate; null where nothing is known. */
  readonly leftMs: number | null;
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
  readonly held: Live<HeldItem>;
  /** Stops after the chunk in hand; it outlives a restart. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Tries at once, without waiting for the back-off. */
  readonly tryNow: () => void;
  /** Takes a held item up again. */
  readonly release: (opId: OpId) => Promise<void>;
}

export function createSendingRepository(parts: Parts): SendingRepository {
  const { store, ledger, sync } = parts;
  return {
    facts: computed(parts),
    held: live<HeldItem>({
      begin: (tell) => {
        const show = (): void => tell.items(heldItems(parts));
        show();
        return ledger.onChange(show);
      },
    }),
    pause: () => store.setFact('sending', 'paused'),
    resume: () => store.setFact('sending', 'on'),
    tryNow: () => {
      sync.sender.tryNow();
      parts.link.retryNow();
      void parts.connectivity.check();
    },
    release: async (opId) => {
      await release(store, opId);
      await ledger.follow();
      sync.sender.tryNow();
    },
  };
}

function computed(parts: Parts): Observable<SendingFacts> {
  const { ledger, sync } = parts;
  let last = factsNow(parts);
  const refresh = (): boolean => {
    const next = factsNow(parts);
    if (sameFacts(next, last)) return false;
    last = next;
    return true;
  };
  return {
    get: () => {
      refresh();
      return last;
    },
    subscribe: (onChange) => {
      const tell = (): void => onChange();
      const stops = [ledger.onChange(tell), parts.connectivity.upstream.subscribe(tell), sync.sender.facts.subscribe(tell), sync.place.subscribe(tell), sync.sender.pausing.subscribe(tell)];
      return () => stops.forEach((stop) => stop());
    },
  };
}

function factsNow({ ledger, sync, connectivity }: Parts): SendingFacts {
  const { inFlight, rate, problem, nextTryAt } = sync.sender.facts.get();
  const owed = owedNow(ledger, connectivity.present());
  const photographs = owed.filter(({ kind }) => kind === 'image');
  const sent = inFlight.reduce((sum, item) => sum + item.sent, 0);
  const bytes = Math.max(0, photographs.reduce((sum, { blob }) => sum + (blob?.bytes ?? 0), 0) - sent);
  const state = ((): SendingFacts['state'] => {
    if (owed.length === 0) return 'done';
    if (sync.sender.pausing.get()) return 'paused';
    if (sync.place.get() === 'elsewhere') return 'elsewhere';
    return inFlight.length > 0 ? 'sending' : 'waiting';
  })();
  return {
    state,
    owed: { records: owed.length - photographs.length, photographs: photographs.length, bytes },
    rate,
    leftMs: rate === null || rate === 0 || state !== 'sending' ? null : Math.round((bytes / rate) * 1000),
    images: inFlight.filter((item) => item.bytes > 0).map(({ docId, sent: done, bytes: all }) => ({ id: docId as ImageId, sent: done, bytes: all })),
    problem,
    nextTryAt,
  };
}

/** Owed to the box that counts now; before any pairing, all that no server has receipted. */
function owedNow(ledger: Parts['ledger'], edge: StoreLife | undefined): readonly LedgerEntry[] {
  if (edge !== undefined) return owedTo(ledger, edge);
  return [...ledger.entries.values()].filter(({ opId, own }) => own && ledger.receipts(opId).length === 0);
}

function heldItems({ ledger }: Parts): readonly HeldItem[] {
  return [...ledger.entries.values()].flatMap(({ opId, kind, docId }) => {
    const row = ledger.holds(opId).find(({ nodeId, storeEpoch }) => ledger.edges.some((edge) => edge.nodeId === nodeId && edge.storeEpoch === storeEpoch));
    const valid = validReceipts(ledger, opId);
    const refused = valid.some(({ stage, accepted }) => stage === 'cloud' && accepted) ? undefined : valid.find(({ accepted }) => !accepted);
    if (row !== undefined) return [{ opId, kind, docId, reason: row.error, at: row.at }];
    if (refused === undefined) return [];
    return [{ opId, kind, docId, reason: quarantineReason(refused), at: refused.storedAt }];
  });
}
