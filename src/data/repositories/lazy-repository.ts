import type { Emitter } from '../../base/emitter';
import type { LiveQuery } from './live';
import { createLiveQuery } from './live-query';

type AsyncMethod = (...args: never[]) => Promise<unknown>;

/** Names of the members of `Ready` that return a promise. */
type AsyncMethodName<Ready> = { [Name in keyof Ready]: Ready[Name] extends AsyncMethod ? Name : never }[keyof Ready];

/** Stand-in for a repository whose code loads on first use. */
interface LazyRepository<Ready> {
  /** Loads it once; the next call repeats a failed load. */
  readonly load: () => Promise<Ready>;
  /** Methods that load it first. */
  readonly methods: <Name extends AsyncMethodName<Ready>>(...names: readonly Name[]) => Pick<Ready, Name>;
  /** Live query that loads it first. Discards the items when `resetOn` fires. */
  readonly query: <Item>(pick: (ready: Ready) => LiveQuery<Item>, resetOn: Emitter<void>) => LiveQuery<Item>;
  /** Disposes of it, if it was loaded; repeatable. */
  readonly dispose: (dispose: (ready: Ready) => void) => void;
}

export function lazyRepository<Ready>(load: () => Promise<Ready>): LazyRepository<Ready> {
  let loading: Promise<Ready> | undefined;
  let isDisposed = false;
  const loadOnce = (): Promise<Ready> =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return {
    load: loadOnce,
    methods: <Name extends AsyncMethodName<Ready>>(...names: readonly Name[]) =>
      Object.fromEntries(
        names.map((name) => [name, async (...args: never[]) => ((await loadOnce())[name] as AsyncMethod)(...args)]),
      ) as Pick<Ready, Name>,
    query: (pick, resetOn) =>
      createLiveQuery({
        resetOn,
        start: (observer) => {
          let ended = false;
          let stop: (() => void) | undefined;
          loadOnce().then((ready) => {
            if (ended) return;
            const source = pick(ready);
            const show = (): void => {
              const read = source.get();
              if (read.status === 'error') observer.failed(read.error);
              else if (read.status === 'ready') observer.items(read.items);
              else observer.stale();
            };
            stop = source.subscribe(show);
            show();
          }, observer.failed);
          return () => {
            ended = true;
            stop?.();
          };
        },
      }),
    dispose: (dispose) => {
      if (isDisposed) return;
      isDisposed = true;
      void loading?.then(dispose);
    },
  };
}
