import { EDGE_STATS } from '../../../domain/edge-stats';
import type { QueryData } from '../../../protocol/edge-socket';
import type { EdgeCache } from '../../cache/edge-cache';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';

/** Queries whose answers are shown, and cached for when the box is away. */
type EdgeAnswerName = 'meta' | 'gps' | 'surveys' | 'senders' | 'track';

/** Arrival time of each answer, by this tablet's clock in ms since the epoch; absent if never answered. */
export type EdgeAnswerTimes = Readonly<Partial<Record<EdgeAnswerName, number>>>;

/** Poll interval of the track, which the box does not push. */
const TRACK_POLL_MS = 30_000;

/**
 * Live answers of the current box. While it is away they are the cached last ones, across restarts, as `stale`; `times`
 * dates them.
 */
export class EdgeAnswers {
  readonly times = new ObservableValue<EdgeAnswerTimes>({}, isJsonEqual);

  readonly #context: RepositoryContext;
  readonly #cache: EdgeCache;

  constructor(parts: RepositoryContext, memory: EdgeCache) {
    this.#context = parts;
    this.#cache = memory;
  }

  /** @param itemsOf maps the box's validated answer to items */
  follow<Name extends EdgeAnswerName, Item>(
    name: Name,
    itemsOf: (data: QueryData[Name]) => readonly Item[],
  ): LiveQuery<Item> {
    const { edgeLink, opIndex, connectivity, store, access } = this.#context;
    return createLiveQuery<Item>({
      resetOn: access.changed,
      start: (tell) => {
        let ended = false;
        let shown: string | undefined;
        let told: { readonly data: QueryData[Name]; readonly isNow: boolean } | undefined;
        const tellOf = (data: QueryData[Name], isNow: boolean): void => {
          told = { data, isNow };
          tell.items(itemsOf(data));
          if (!isNow) tell.stale();
        };
        let cancelNext = (): void => undefined;
        const take = (nodeId: string, data: unknown): void => {
          const checked = EDGE_STATS[name].safeParse(data);
          if (ended || nodeId !== connectivity.currentEdge()?.nodeId) return;
          if (!checked.success) {
            store.host.log.note('warn', 'The box sent an invalid answer to a query; ignoring it.', {
              name,
              where: checked.error.issues[0]?.path.join('.'),
            });
            tell.stale();
            return;
          }
          shown = nodeId;
          const at = store.host.clock.now();
          this.times.set({ ...this.times.get(), [name]: at });
          tellOf(data as QueryData[Name], true);
          void this.#cache.storeAnswer(nodeId, name, data, at);
        };
        const ask = (): void => {
          cancelNext();
          const verified = edgeLink.current;
          if (verified === undefined) {
            recall();
            return;
          }
          const { nodeId } = verified.edge;
          verified.socket.request('query', { name, subscribe: name !== 'track' }).then(
            ({ data }) => {
              take(nodeId, data);
              if (name === 'track' && !ended) cancelNext = store.host.timers.after(TRACK_POLL_MS, ask);
            },
            (error: unknown) => {
              store.host.log.note('info', 'The box did not answer a query.', { name, error: String(error) });
              recall();
            },
          );
        };
        const recall = (): void => {
          const nodeId = connectivity.currentEdge()?.nodeId;
          if (nodeId === shown) {
            if (told !== undefined) told = { ...told, isNow: false };
            tell.stale();
            return;
          }
          const before = shown;
          shown = nodeId;
          told = undefined;
          if (before !== undefined) this.#showAt(name, undefined, () => tell.items([]));
          tell.stale();
          if (nodeId === undefined) return;
          void this.#cache.getAnswer(nodeId, name).then((row) => {
            if (
              ended ||
              shown !== nodeId ||
              row === undefined ||
              edgeLink.current !== undefined ||
              !EDGE_STATS[name].safeParse(row.data).success
            )
              return;
            this.#showAt(name, row.at, () => tellOf(row.data as QueryData[Name], false));
          });
        };
        const release = edgeLink.acquire();
        const stops = [
          edgeLink.state.subscribe(ask),
          // The current user may see other parts of the answer, so it is filtered again.
          access.changed.subscribe(() => {
            if (told !== undefined) tellOf(told.data, told.isNow);
          }),
          opIndex.onChange(() => {
            if (edgeLink.current === undefined) recall();
          }),
          edgeLink.updates.subscribe((update) => {
            const nodeId = edgeLink.current?.edge.nodeId;
            if (update.name === name && nodeId !== undefined) take(nodeId, update.data);
          }),
        ];
        ask();
        return () => {
          ended = true;
          cancelNext();
          stops.forEach((stop) => stop());
          if (name !== 'track') {
            edgeLink.current?.socket.request('unsubscribe', { name }).catch(() => {
              // The connection ended first, and the subscription with it.
            });
          }
          release();
        };
      },
    });
  }

  #showAt(name: EdgeAnswerName, at: number | undefined, tell: () => void): void {
    const { [name]: _before, ...others } = this.times.get();
    this.times.set(at === undefined ? others : { ...others, [name]: at });
    tell();
  }
}
