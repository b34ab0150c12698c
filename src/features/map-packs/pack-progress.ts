import type { PackItem, PackView } from '../../data/repositories';

/** Archives of one map on this tablet, together. */
export interface PackProgress {
  readonly status: 'none' | 'fetching' | 'paused' | 'failed' | 'kept';
  /** Bytes on this tablet. */
  readonly received: number;
  /** Bytes of all archives. */
  readonly total: number;
  /** Message of a failure. */
  readonly why: string | null;
  /** True if a newer version of an archive exists than the stored one. */
  readonly isOld: boolean;
}

/** Adds up the archives of a map. @param packs of the tablet, other maps included */
export function packProgress(items: readonly PackItem[], packs: readonly PackView[]): PackProgress {
  const views = items.map((item) => ({ item, view: packs.find(({ name }) => name === item.name) }));
  const isKept = ({ item, view }: (typeof views)[number]): boolean =>
    view?.status === 'kept' && view.sha256 === item.sha256;
  const stored = views.filter(({ view }) => view?.status === 'kept');
  const some = (status: PackView['status']): boolean => views.some(({ view }) => view?.status === status);
  return {
    status: some('fetching')
      ? 'fetching'
      : some('failed')
        ? 'failed'
        : views.length > 0 && stored.length === views.length
          ? 'kept'
          : stored.length > 0 || some('paused')
            ? 'paused'
            : 'none',
    received: views.reduce(
      (sum, each) =>
        sum + (isKept(each) ? each.item.bytes : each.view?.status === 'kept' ? 0 : (each.view?.received ?? 0)),
      0,
    ),
    total: items.reduce((sum, { bytes }) => sum + bytes, 0),
    why: views.find(({ view }) => view?.status === 'failed')?.view?.why?.message ?? null,
    isOld: stored.some((each) => !isKept(each)),
  };
}
