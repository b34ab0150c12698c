import type { OutlineSet } from '../../../domain/analysis/labelling/outline';
import { filterOutlines } from '../../../domain/analysis/labelling/outline-collection';
import { ReefError } from '../../../domain/errors';
import type { Region } from '../../../domain/region/region';
import { DEFAULT_REGION } from '../../../domain/region/region-id';
import { REGIONS } from '../../../domain/region/regions';
import { pictureSize } from '../../../workers/photograph/picture-size';
import type { PictureSegmenter } from '../../../workers/segmentation/segmentation.api';
import type { CensusImageCache } from '../../cache/census-image-cache';
import { fetchOutlines } from '../../transport/outlines';
import type { RepositoryContext } from '../repository-context';
import { knownRegions } from '../survey/region-repository';
import { cloudServer } from './analysis-images';
import { loadPicture } from './analysis-pictures';
import type { AnalysisRepository, PictureBytes, TraceImage } from './types';

/** Size that is outlined and labelled (2§9 "2000 (ML)"). */
const LABELLED_SIZE = 2000;
/** Bytes that hold the size of a picture, with EXIF in front of it. */
const HEADER_BYTES = 512 * 1024;
/** Greatest difference in proportions by which two sizes of one picture are rounded. */
const PROPORTION_TOLERANCE = 0.01;

/** Time that outlines loaded ahead are held for the screen that opens next, ms: as long as a photograph takes to label. */
const AHEAD_MS = 10 * 60_000;

interface OutlineSources {
  readonly outlines: AnalysisRepository['outlines'];
  /** Loads outlines ahead: the next call of `outlines` for them has them at once, and asks no server again. */
  readonly preload: (...of: Parameters<AnalysisRepository['outlines']>) => Promise<void>;
  /** True if outlines have the proportions of the picture as it is now, or it is not here. */
  readonly fits: (image: TraceImage, set: OutlineSet) => Promise<boolean>;
}

/**
 * Outlines of photographs: from a server, from the cache, or segmented here. Outlines of a server are asked for once;
 * those of this tablet are replaced by a server's as soon as one answers, but never under work that has begun.
 */
export function outlineSources(
  parts: RepositoryContext,
  memory: CensusImageCache,
  segmenter: PictureSegmenter | null,
): OutlineSources {
  /** Loads in progress: a preloaded photograph may be opened before its outlines are there. */
  const loading = new Map<string, Promise<OutlineSet>>();

  let ahead: { readonly key: string; readonly set: OutlineSet; readonly at: number } | null = null;

  const picture = (image: TraceImage): Promise<PictureBytes> => loadPicture(parts, memory, image, LABELLED_SIZE);

  const load = async (image: TraceImage, isExpert: boolean): Promise<OutlineSet> => {
    const region = await regionOf(parts, image);
    const sizes = isExpert ? region.polygonFilterExpert : region.polygonFilter;
    const cached = await memory.getOutlines(image.id, isExpert);
    if (cached?.from === 'server' && (await fits(image, cached.set))) return filterOutlines(cached.set, sizes);
    const sent = await fetchFromServers(parts, image, { mlAnalysisDir: region.mlAnalysisDir, ...sizes });
    // A model that finds nothing leaves nothing to label.
    if (sent !== null && sent.outlines.length > 0 && (await fits(image, sent))) {
      await keep(image, isExpert, sent, 'server');
      return filterOutlines(sent, sizes);
    }
    if (cached !== undefined && (await fits(image, cached.set))) return filterOutlines(cached.set, sizes);
    const { blob } = await picture(image);
    if (segmenter === null)
      throw new ReefError('not-found', {
        message: 'No server in reach has outlines of this photograph, and this tablet cannot make them.',
      });
    const made = await segmenter.segment(blob, sizes);
    await keep(image, isExpert, made, 'tablet');
    return filterOutlines(made, sizes);
  };

  const keep = async (image: TraceImage, isExpert: boolean, set: OutlineSet, from: 'server' | 'tablet') => {
    const known = await memory.getImage(image.id);
    // A photograph of this tablet shares the limit of the cache.
    if (known === undefined)
      await memory.storeImage(image.id, { view: image, corrected: null }, isExpert, parts.person.get()?.uid);
    await memory.storeOutlines(image.id, isExpert, { set, from });
  };

  const fits = async (image: TraceImage, set: OutlineSet): Promise<boolean> => {
    if (set.width === 0 || set.height === 0) return true;
    let shown: PictureBytes;
    try {
      shown = await picture(image);
    } catch (error) {
      // The screen reports it when it asks for the picture.
      if (error instanceof ReefError && error.code === 'not-found') return true;
      throw error;
    }
    const size = pictureSize(new Uint8Array(await shown.blob.slice(0, HEADER_BYTES).arrayBuffer()));
    if (size === null) return true;
    const isNear = (width: number, height: number): boolean =>
      Math.abs((width * set.height) / (height * set.width) - 1) <= PROPORTION_TOLERANCE;
    // The header of an original has the size before EXIF turns it.
    return isNear(size.width, size.height) || (shown.size === 'original' && isNear(size.height, size.width));
  };

  const outlines: AnalysisRepository['outlines'] = (image, { isExpert }) => {
    const key = keyOf(image, isExpert);
    const held = ahead?.key === key ? ahead : null;
    if (held !== null) ahead = null;
    if (held !== null && parts.store.host.clock.elapsed() - held.at < AHEAD_MS) return Promise.resolve(held.set);
    const running = loading.get(key);
    if (running !== undefined) return running;
    const started = load(image, isExpert).finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  };

  return {
    outlines,
    preload: async (image, options) => {
      const set = await outlines(image, options);
      ahead = { key: keyOf(image, options.isExpert), set, at: parts.store.host.clock.elapsed() };
    },
    fits,
  };
}

const keyOf = ({ id }: TraceImage, isExpert: boolean): string => `${id} ${isExpert}`;

async function regionOf({ store }: RepositoryContext, { survey }: TraceImage): Promise<Region> {
  const regions = await knownRegions(store);
  return regions.find(({ regionId }) => regionId === survey.regionId) ?? REGIONS[DEFAULT_REGION];
}

/** Outlines of the box, else of the cloud; null if neither has any, or none is in reach. */
async function fetchFromServers(
  parts: RepositoryContext,
  { id, survey }: TraceImage,
  query: { readonly mlAnalysisDir: string; readonly minSize: number; readonly maxSize: number },
): Promise<OutlineSet | null> {
  const { store, connectivity, person } = parts;
  const edge = connectivity.currentEdge();
  const servers = [
    edge === undefined ? null : { origin: edge.origin, bearer: edge.session },
    await cloudServer(parts, person.get()?.uid ?? null),
  ];
  for (const server of servers) {
    if (server === null) continue;
    try {
      const found = await fetchOutlines(store.host, server, { surveyId: survey.id, imageId: id, ...query });
      if (found !== null) return found;
    } catch (error) {
      store.host.log.note('info', 'The outlines of a photograph could not be fetched; using others.', {
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return null;
}
