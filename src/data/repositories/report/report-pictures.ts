import { ReefError } from '../../../domain/errors';
import type { ImageId } from '../../../domain/ids';
import type { ReportCache } from '../../cache/report-cache';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { censusReads } from '../analysis/analysis-images';
import type { RepositoryContext } from '../repository-context';
import type { ReportImage } from './types';

const SIDES = { small: 800, large: 2000 } as const;

/** Implements `ReportRepository.picture`. */
export async function reportPicture(
  parts: RepositoryContext,
  cache: ReportCache,
  image: ReportImage,
  size: keyof typeof SIDES,
): Promise<Blob> {
  const keyOf = (of: keyof typeof SIDES): string => `${picturesOf(parts, image.id)}${SIDES[of]}`;
  const stored = await cache.getPicture(keyOf(size));
  if (stored !== undefined) return stored;
  const fetched = await fetchPicture(parts, image, SIDES[size]);
  if (fetched !== null) {
    await cache.storePicture(keyOf(size), fetched);
    return fetched;
  }
  const other = await cache.getPicture(keyOf(size === 'large' ? 'small' : 'large'));
  if (other !== undefined) return other;
  throw new ReefError('not-found', {
    message:
      'The picture of this photograph is not on this tablet, and no server in reach has it. Connect to the box or the shore to fetch it.',
  });
}

/** Implements `TakenReport.takePicture`. @param pack map that it is taken along with */
export async function takeReportPicture(
  parts: RepositoryContext,
  cache: ReportCache,
  image: ReportImage,
  pack: string,
): Promise<boolean> {
  const key = `${picturesOf(parts, image.id)}${SIDES.small}`;
  if (await cache.takeStoredPicture(key, pack)) return true;
  const fetched = await fetchPicture(parts, image, SIDES.small);
  if (fetched !== null) {
    await cache.takePicture(key, fetched, pack);
    return true;
  }
  const { answering, browserOnline } = parts.connectivity.facts.get();
  if (answering === 'none' || !browserOnline) throw new ReefError('disconnected');
  return false;
}

/** Beginning of the keys of a photograph's pictures, for the current user. */
export function picturesOf({ person }: Pick<RepositoryContext, 'person'>, imageId: string): string {
  return `${person.get()?.uid ?? ''}/${imageId}/`;
}

async function fetchPicture(
  parts: RepositoryContext,
  image: ReportImage,
  side: (typeof SIDES)[keyof typeof SIDES],
): Promise<Blob | null> {
  return (
    (await tryFetch(parts, () => fromEdge(parts, image, side))) ??
    (await tryFetch(parts, () => fromCloud(parts, image, side)))
  );
}

async function fromEdge(
  { store, connectivity }: RepositoryContext,
  image: ReportImage,
  side: (typeof SIDES)[keyof typeof SIDES],
): Promise<Blob | null> {
  const edge = connectivity.answeringEdge.get()?.edge;
  if (edge === undefined) return null;
  return (await new EdgeHttp(store.host, edge.origin).picture(image.id, side, edge.session))?.blob ?? null;
}

async function fromCloud(parts: RepositoryContext, image: ReportImage, side: number): Promise<Blob | null> {
  const reads = await censusReads(parts, parts.person.get()?.uid ?? null);
  if (reads === null) return null;
  let { path } = image;
  if (path === null) {
    const found = await reads.fetchImage(image.id as ImageId);
    path = found === null ? null : `${found.token}/${found.url}`;
  }
  return path === null ? null : reads.fetchPicture(side, path);
}

/** Returns null on a failure, so that another source can serve. */
async function tryFetch({ store }: RepositoryContext, fetch: () => Promise<Blob | null>): Promise<Blob | null> {
  try {
    return await fetch();
  } catch (error) {
    store.host.log.note('info', 'A picture of the report could not be fetched.', {
      error: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
