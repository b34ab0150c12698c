import { ReefError } from '../../../domain/errors';
import type { CensusImageCache, ImageColour } from '../../cache/census-image-cache';
import { EdgeHttp } from '../../transport/edge/edge-http';
import type { PictureBytes, PictureOptions, PictureSize, TraceImage } from './types';
import { censusReads, sha256Of, toCachedImage, ownImage } from './analysis-images';
import type { RepositoryContext } from '../repository-context';

const SIZES: readonly PictureSize[] = [800, 2000, 4000];

/** Fallback sizes in order of preference: the larger ones ascending, then the smaller ones descending. */
function fallbackSizes(size: PictureSize): readonly PictureSize[] {
  return [...SIZES.filter((one) => one > size), ...SIZES.filter((one) => one < size).reverse()];
}

/** Implements `AnalysisRepository.picture`. */
export async function loadPicture(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  size: PictureSize,
  { isAgain = false }: PictureOptions = {},
): Promise<PictureBytes> {
  const found =
    image.source === 'own'
      ? await ownPicture(parts, memory, image, size)
      : await censusPicture(parts, memory, image, 'plain', size, isAgain);
  if (found === null)
    throw new ReefError('not-found', {
      message:
        'The picture of this photograph is not on this tablet, and no server in reach has it. Connect to the box or the shore to fetch it again.',
    });
  return found;
}

/** Implements `AnalysisRepository.corrected`. */
export async function loadCorrectedPicture(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  size: PictureSize,
): Promise<PictureBytes | null> {
  return censusPicture(parts, memory, image, 'corrected', size);
}

async function ownPicture(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  size: PictureSize,
): Promise<PictureBytes | null> {
  const { store, opIndex } = parts;
  const found = await ownImage(parts, image.id);
  if (found === null) return null;
  const sha256 = sha256Of(found.doc);
  const preview = async (): Promise<PictureBytes | null> => {
    const row = await store.run(() => store.db.previews.get(sha256));
    return row === undefined ? null : { blob: row.picture, size: 800 };
  };
  if (size === 800) {
    const small = await preview();
    if (small !== null) return small;
  }
  const row = opIndex.hasBytes(sha256) ? await store.run(() => store.db.blobs.get(sha256)) : undefined;
  if (row !== undefined && row.blob.size === row.bytes) return { blob: row.blob, size: 'original' };
  const kept = await memory.getPicture(image.id, 'plain', size);
  if (kept !== undefined) return { blob: kept, size };
  const ashore = await nullOnError(parts, () => fetchPicture(parts, memory, image, 'plain', size));
  if (ashore !== null) return { blob: ashore, size };
  const aboard = await nullOnError(parts, () => fetchFromBox(parts, memory, image, size));
  if (aboard !== null && aboard.size >= size) return aboard;
  return largest([await nearestKept(memory, image, 'plain', size), aboard, await preview()]);
}

/** Fetches a photograph of another tablet from the box, and caches it: the sea has few links. */
async function fetchFromBox(
  { store, connectivity, person }: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  size: PictureSize,
): Promise<(PictureBytes & { readonly size: PictureSize }) | null> {
  const edge = connectivity.currentEdge();
  if (edge === undefined) return null;
  const found = await new EdgeHttp(store.host, edge.origin).picture(image.id, size, edge.session);
  if (found === null) return null;
  await memory.storeImage(image.id, { view: image, corrected: null }, false, person.get()?.uid);
  await memory.storePicture(image.id, 'plain', found.size, found.blob);
  return found;
}

function largest(found: readonly (PictureBytes | null)[]): PictureBytes | null {
  const px = ({ size }: PictureBytes): number => (size === 'original' ? Infinity : size);
  return found.reduce((best, one) => (one !== null && (best === null || px(one) > px(best)) ? one : best), null);
}

async function censusPicture(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  look: ImageColour,
  size: PictureSize,
  isAgain = false,
): Promise<PictureBytes | null> {
  const kept = await memory.getPicture(image.id, look, size);
  if (kept !== undefined && !isAgain) return { blob: kept, size };
  const fetched = await nullOnError(parts, () => fetchPicture(parts, memory, image, look, size));
  if (fetched !== null) return { blob: fetched, size };
  return nearestKept(memory, image, look, size);
}

async function nearestKept(
  memory: CensusImageCache,
  image: TraceImage,
  look: ImageColour,
  size: PictureSize,
): Promise<PictureBytes | null> {
  for (const other of fallbackSizes(size)) {
    const near = await memory.getPicture(image.id, look, other);
    if (near !== undefined) return { blob: near, size: other };
  }
  return null;
}

async function fetchPicture(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  look: ImageColour,
  size: PictureSize,
): Promise<Blob | null> {
  const reads = await censusReads(parts, parts.person.get()?.uid ?? null);
  if (reads === null) return null;
  const row = await memory.getImage(image.id);
  // One that the box gave has no address in the cloud.
  let known = row?.image.view.source === 'census' ? row.image : undefined;
  // Corrected colours may have been made since the photograph was cached.
  if (known === undefined || (look === 'corrected' && known.corrected === null)) {
    const told = await reads.fetchImage(image.id);
    if (told === null) return null;
    known = toCachedImage(told);
    // Pictures of own photographs in the cloud are not cached: their survey is on this tablet.
    if (image.source === 'census')
      await memory.storeImage(
        image.id,
        known,
        row?.isExpert ?? false,
        row === undefined ? parts.person.get()?.uid : row.seenBy,
      );
  }
  const path = look === 'plain' ? known.view.path : known.corrected;
  if (path === null) return null;
  const blob = await reads.fetchPicture(size, path);
  if (blob !== null && image.source === 'census') await memory.storePicture(image.id, look, size, blob);
  return blob;
}

/** Returns null on a transport failure, so that a cached picture can serve. */
async function nullOnError<Value>(
  { store }: RepositoryContext,
  work: () => Promise<Value | null>,
): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    store.host.log.note('info', 'A picture could not be fetched.', {
      error: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
