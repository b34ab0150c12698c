import { ReefError } from '../../../domain/errors';
import type { ImageId } from '../../../domain/ids';
import type { NoPreviewReason } from '../../../domain/image/image';
import type { CensusImageCache } from '../../cache/census-image-cache';
import type { CensusImage } from '../../transport/cloud/census-reads';
import type { NextImage, PictureSize, TraceImage, WantedImage } from './types';
import { censusReads, sha256Of, toCachedImage, ownImage, maySeeCached } from './analysis-images';
import { loadPicture } from './analysis-pictures';
import { randomHex } from '../../transport/random-hex';
import type { OwnAnalyses } from './own-analyses';
import type { RepositoryContext } from '../repository-context';

/** Most pages of the cloud's answer searched for one photograph. */
const PAGES_MAX = 30;
/** Sizes that analysing needs: one to trace, one to show first. */
const PRELOADED: readonly PictureSize[] = [800, 2000];

/** Preview failures that mean no browser can display the file: evidence, but nothing to trace. */
const UNDISPLAYABLE: readonly unknown[] = ['format', 'truncated'] satisfies readonly NoPreviewReason[];

/** Result of asking the cloud: an image, or why there is none. */
type CensusPick = { readonly image: TraceImage } | { readonly none: 'all-done' | 'no-link' | 'failed' };

/** Implements `AnalysisRepository.next`. */
export async function nextImage(
  parts: RepositoryContext,
  memory: CensusImageCache,
  own: OwnAnalyses,
  wanted: WantedImage,
): Promise<NextImage> {
  const person = parts.person.get();
  if (person === null) return { none: 'nobody-here' };
  const done = new Set<string>([...(await own.images()), ...wanted.except]);
  const census = await nextFromCensus(parts, memory, done, wanted, person.uid);
  if ('image' in census) return census;
  const here = (await nextOwn(parts, done)) ?? (await nextCached(parts, memory, done, wanted.isExpert));
  return here === null ? census : { image: here };
}

/** Searches from a random position to the end, then from the beginning. */
async function nextFromCensus(
  parts: RepositoryContext,
  memory: CensusImageCache,
  done: ReadonlySet<string>,
  { isExpert, labels }: WantedImage,
  uid: string,
): Promise<CensusPick> {
  const { store } = parts;
  const reads = await censusReads(parts, uid);
  if (reads === null) return { none: 'no-link' };
  const start = randomHex(store.host);
  let from: string = start;
  // A pick for labelling goes around in the cloud: its positions are not ordered.
  let isAround = labels !== undefined;
  try {
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await reads.imagesToAnalyse(from, isExpert, labels?.regionId);
      // The cloud does not know about analyses that are still only here.
      for (const found of page.images.filter(({ id }) => !done.has(id))) {
        const image = await acceptCandidate(parts, memory, found, isExpert);
        if (image !== null) return { image };
      }
      if (page.next === null && isAround) break;
      if (page.next === null) isAround = true;
      from = page.next ?? '0';
      if (labels === undefined && isAround && page.next !== null && page.next > start) break;
    }
    return { none: 'all-done' };
  } catch (error) {
    store.host.log.note('info', 'The shore offered no photograph to analyse; using one stored here.', {
      error: error instanceof Error ? error.message : String(error),
    });
    return { none: error instanceof ReefError && error.code === 'disconnected' ? 'no-link' : 'failed' };
  }
}

/** Maps a photograph from the cloud; null if it is on this tablet and the current user may not see it. */
async function acceptCandidate(
  parts: RepositoryContext,
  memory: CensusImageCache,
  found: CensusImage,
  isExpert: boolean,
): Promise<TraceImage | null> {
  const id = found.id as ImageId;
  const kept = toCachedImage(found);
  if (parts.opIndex.entriesOf('image', id).length === 0) {
    await memory.storeImage(id, kept, isExpert);
    return kept.view;
  }
  const own = await ownImage(parts, id);
  return own === null ? null : { ...own.image, path: kept.view.path, hasCorrected: kept.view.hasCorrected };
}

async function nextOwn(parts: RepositoryContext, done: ReadonlySet<string>): Promise<TraceImage | null> {
  const { opIndex, access, store } = parts;
  const candidates = new Set<ImageId>();
  for (const { kind, docId, surveyId } of opIndex.entries.values()) {
    if (kind === 'image' && surveyId !== undefined && !done.has(docId) && access.canSeeSurvey(surveyId))
      candidates.add(docId as ImageId);
  }
  for (const id of rotateRandomly([...candidates], store.host.randomBytes)) {
    const found = await ownImage(parts, id);
    if (found === null) continue;
    const sha256 = sha256Of(found.doc);
    if (UNDISPLAYABLE.includes(found.doc['previewReason'])) continue;
    if (
      found.doc['preview'] === 'made' ? opIndex.hasBytes(sha256) || opIndex.wasFreed(sha256) : opIndex.hasBytes(sha256)
    )
      return found.image;
  }
  return null;
}

async function nextCached(
  parts: RepositoryContext,
  memory: CensusImageCache,
  done: ReadonlySet<string>,
  isExpert: boolean,
): Promise<TraceImage | null> {
  const rows = (await memory.images()).filter(
    (row) =>
      row.image.view.source === 'census' &&
      !done.has(row.id) &&
      (row.isExpert || !isExpert) &&
      maySeeCached(parts, row),
  );
  for (const { id, image } of rotateRandomly(rows, parts.store.host.randomBytes))
    if (await memory.hasPicture(id)) return image.view;
  return null;
}

function rotateRandomly<Item>(items: readonly Item[], randomBytes: (n: number) => Uint8Array): readonly Item[] {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  const start = Math.floor((((a << 16) | (b << 8) | c) / 2 ** 24) * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/**
 * Implements `AnalysisRepository.preload`.
 *
 * @param outlines loads outlines; null for a photograph that is not labelled
 */
export async function preload(
  parts: RepositoryContext,
  memory: CensusImageCache,
  image: TraceImage,
  outlines: (() => Promise<unknown>) | null,
): Promise<void> {
  for (const size of PRELOADED) await loadPicture(parts, memory, image, size);
  await outlines?.();
}
