import type { ImageId, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { parseClocks } from '../../../domain/survey/camera-clock';
import type { QueryData } from '../../../protocol/edge-socket';
import type { Fix } from '../../../geo/track';
import { cleanTrack, positionAt } from '../../../geo/track';
import { requireSurvey } from './add-photograph';
import { editImages, imagesOfSurvey } from './edit-images';
import { positionOf, takenOf } from './photograph-view';
import type { RepositoryContext } from '../repository-context';

/** How many photographs got a position, and how many still have none. */
export interface PlacedFromTrack {
  readonly placed: number;
  readonly without: number;
}

/** Gives photographs without a position that of the vessel when they were taken; see `ImageRepository.placeFromTrack`. */
export async function placeFromTrack(parts: RepositoryContext, surveyId: SurveyId): Promise<PlacedFromTrack> {
  const { folded } = await requireSurvey(parts, surveyId);
  const clocks = parseClocks(folded.doc['cameraClocks']);
  const bare = (await imagesOfSurvey(parts, surveyId)).filter(({ doc }) => positionOf(doc) === null);
  const timed = bare.flatMap(({ id, doc }) => {
    const { utc } = takenOf(doc, clocks);
    return utc === null ? [] : [{ id: id as ImageId, ms: Date.parse(utc) }];
  });
  if (timed.length === 0) return { placed: 0, without: bare.length };
  const fixes = await trackAround(
    parts,
    timed.map(({ ms }) => ms),
  );
  const places = timed.flatMap(({ id, ms }): [ImageId, JsonObject][] => {
    const place = positionAt(fixes, ms);
    return place === null ? [] : [[id, { position: { ...place, source: 'vessel' } }]];
  });
  const placed = await editImages(parts, new Map(places));
  return { placed, without: bare.length - placed };
}

/** Fixes before and after the photographs that are looked at too, ms. */
const AROUND_MS = 30 * 60_000;
/** A span that is asked for at once, ms: the box gives at most 2000 fixes of each. */
const SPAN_MS = 60 * 60_000;
/** So many fixes are kept on the tablet, the latest: two days at one in ten seconds. */
const TRACK_FIXES_MAX = 20_000;
/** How long a box that answers gets to take up the connection, ms. */
const CONNECT_MS = 5000;

/** The vessel's fixes around these moments: what the box tells is kept, and what was kept counts where the box is away. */
async function trackAround(parts: RepositoryContext, moments: readonly number[]): Promise<readonly Fix[]> {
  const { store } = parts;
  const known = (await store.getMeta('track')) ?? [];
  const received = await queryBoxTrack(parts, spansOf(moments));
  if (received.length === 0) return cleanTrack(known);
  const all = cleanTrack([...known, ...received]);
  await store.setMeta('track', all.slice(-TRACK_FIXES_MAX));
  return all;
}

/** Spans of time that hold all moments with what is around them, none longer than is asked for at once. */
function spansOf(moments: readonly number[]): { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (const ms of [...moments].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && ms + AROUND_MS <= last.to) continue;
    const from = last === undefined ? ms - AROUND_MS : Math.max(last.to, ms - AROUND_MS);
    spans.push({ from, to: from + SPAN_MS });
  }
  return spans;
}

/** What the box's track says of the spans; nothing where the box is away or does not answer. */
async function queryBoxTrack(
  parts: RepositoryContext,
  spans: readonly { readonly from: number; readonly to: number }[],
): Promise<readonly Fix[]> {
  const { edgeLink, store } = parts;
  const release = edgeLink.acquire();
  try {
    const verified = edgeLink.current ?? (await waitForConnection(parts));
    if (verified === undefined) return [];
    const fixes: Fix[] = [];
    for (const { from, to } of spans) {
      const { data } = await verified.socket.request('query', {
        name: 'track',
        params: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      });
      for (const { time, lat, lng } of (data as QueryData['track']).fixes)
        fixes.push({ ms: Date.parse(time), latitude: lat, longitude: lng });
    }
    return fixes;
  } catch (error) {
    store.host.log.note('info', 'The box did not tell its track; what is known of it counts.', {
      error: String(error),
    });
    return [];
  } finally {
    release();
  }
}

/** The connection once it stands; undefined where no box answers, or not soon. */
async function waitForConnection({
  edgeLink,
  connectivity,
  store,
}: RepositoryContext): Promise<RepositoryContext['edgeLink']['current']> {
  if (connectivity.answeringEdge.get() === null) return undefined;
  return new Promise((resolve) => {
    const settle = (): void => {
      stop();
      callOff();
      resolve(edgeLink.current);
    };
    const stop = edgeLink.state.subscribe(() => {
      if (edgeLink.current !== undefined) settle();
    });
    const callOff = store.host.timers.after(CONNECT_MS, settle);
  });
}
