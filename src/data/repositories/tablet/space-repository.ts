import type { WireError } from '../../../domain/errors';
import type { FreeableBlobs, RetainReason } from '../../sync/freeing/find-freeable';
import { findFreeable, isDue } from '../../sync/freeing/find-freeable';
import { LIMITS } from '../../../domain/limits';
import type { FreeingWatch } from '../../sync/freeing/freeing-watch';
import { computedValue } from '../../../base/live-value';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';

interface PhotographAmount {
  readonly photographs: number;
  readonly bytes: number;
}

/** Space on this tablet: what can be freed, and what stays and why. */
export interface SpaceFacts {
  /** Ashore with receipts: can be freed now; the cloud is asked for each first. */
  readonly ashore: PhotographAmount;
  /** Time of the next automatic freeing, ms since 1970 by the cloud's clock; null if none waits. */
  readonly nextAutoFreeAt: number | null;
  /** Photographs that stay, by reason. */
  readonly retained: readonly (PhotographAmount & { readonly because: RetainReason })[];
  readonly freed: PhotographAmount;
  /** Availability of the cloud, which alone can prove that it still has them. */
  readonly cloudAvailability: 'yes' | 'no-account' | 'out-of-reach' | 'offline';
  readonly working: { readonly done: number; readonly total: number } | null;
  readonly last: (PhotographAmount & { readonly missing: number }) | null;
  readonly problem: WireError | null;
}

/** Freeing space on this tablet (protocol, "Freeing"). */
export interface SpaceRepository {
  readonly facts: Observable<SpaceFacts>;
  /** Frees all that is ashore; the result is in the facts. Previews stay. */
  readonly free: () => Promise<void>;
}

const RECOUNT_DELAY_MS = 250;

export function createSpaceRepository(parts: RepositoryContext, watch: FreeingWatch): SpaceRepository {
  const { store, opIndex, connectivity } = parts;
  let freed: PhotographAmount = { photographs: 0, bytes: 0 };
  let freeable: FreeableBlobs = { free: [], retained: [] };
  const count = async (): Promise<void> => {
    const rows = await store.run(() => store.db.freed.toArray());
    const gone = rows.filter(({ sha256 }) => !opIndex.hasBytes(sha256));
    freed = { photographs: gone.length, bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0) };
    const cloud =
      opIndex.clouds.find(({ origin, credential }) => origin !== null && credential !== null) ?? opIndex.clouds[0];
    freeable = findFreeable(opIndex, cloud ?? { nodeId: '', storeEpoch: '' });
  };
  const compute = (): SpaceFacts => {
    const { answering, offlineByChoice } = connectivity.facts.get();
    const stay = new Map<RetainReason, PhotographAmount>();
    for (const { because, bytes } of freeable.retained) stay.set(because, addToAmount(stay.get(because), bytes));
    const waiting = freeable.free
      .filter((photograph) => !isDue(photograph, store.host.clock.now()))
      .map(({ storedAt }) => storedAt + LIMITS.freeAfterMs);
    const canAsk = opIndex.clouds.some(({ origin, credential }) => origin !== null && credential !== null);
    return {
      ashore: freeable.free.reduce<PhotographAmount>((sum, { bytes }) => addToAmount(sum, bytes), {
        photographs: 0,
        bytes: 0,
      }),
      nextAutoFreeAt: waiting.length === 0 ? null : Math.min(...waiting),
      retained: [...stay].map(([because, amount]) => ({ because, ...amount })),
      freed,
      cloudAvailability: !canAsk
        ? 'no-account'
        : offlineByChoice
          ? 'offline'
          : answering === 'none'
            ? 'out-of-reach'
            : 'yes',
      ...watch.facts.get(),
    };
  };
  return {
    facts: computedValue(compute, (refresh) => {
      let ended = false;
      let callOff: (() => void) | undefined;
      const look = (): void => {
        callOff = undefined;
        count().then(
          () => {
            if (!ended) refresh();
          },
          (error: unknown) =>
            store.host.log.note('warn', 'The space that can be freed could not be counted.', { error: String(error) }),
        );
      };
      look();
      return [
        watch.facts.subscribe(refresh),
        connectivity.facts.subscribe(refresh),
        opIndex.onChange(() => (callOff ??= store.host.timers.after(RECOUNT_DELAY_MS, look))),
        () => {
          ended = true;
          callOff?.();
        },
      ];
    }),
    free: () => watch.freeNow(),
  };
}

function addToAmount(sum: PhotographAmount | undefined, bytes: number): PhotographAmount {
  return { photographs: (sum?.photographs ?? 0) + 1, bytes: (sum?.bytes ?? 0) + bytes };
}
