import type { ImageId, SurveyId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { readClocks } from '../../domain/survey/camera-clock';
import type { QueryData } from '../../protocol/edge-socket';
import type { Fix } from '../../domain/track/track';
import { cleanTrack, placeAt } from '../../domain/track/track';
import { surveyHere } from './image-adding';
import { editThose, imagesOf } from './image-arranging';
import { positionOf, takenOf } from './image-view';
import type { Parts } from './parts';

/** How many photographs got a position, and how many still have none. */
export interface PlacedFromTrack {
  readonly placed: number;
  readonly without: number;
}

/** Gives photographs without a position that of the vessel when they were taken; see `ImageRepository.placeFromTrack`. */
export async function placeFromTrack(parts: Parts, surveyId: SurveyId): Promise<PlacedFromTrack> {
  const { folded } = await surveyHere(parts, surveyId);
  const clocks = readClocks(folded.doc['cameraClocks']);
  const bare = (await imagesOf(parts, surveyId)).filter(({ doc }) => positionOf(doc) === null);
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
    const place = placeAt(fixes, ms);
    return place === null ? [] : [[id, { position: { ...place, source: 'vessel' } }]];
  });
  const placed = await editThose(parts, new Map(places));
  return { placed, without: bare.length - placed };
}

/** Fixes before and after the photographs that are looked at too, ms. */
const AROUND_MS = 30 * 60_000;
/** A span that is asked for at once, ms: the box gives at most 2000 fixes of each. */
const SPAN_MS = 60 * 60_000;
/** So many fixes are kept on the tablet, the latest: two days at one in ten seconds. */
const KEPT_MAX = 20_000;
/** How long a box that answers gets to take up the connection, ms. */
const CONNECT_MS = 5000;

/** The vessel's fixes around these moments: what the box tells is kept, and what was kept counts where the box is away. */
async function trackAround(parts: Parts, moments: readonly number[]): Promise<readonly Fix[]> {
  const { store } = parts;
  const known = (await store.fact('track')) ?? [];
  const told = await askBox(parts, spansOf(moments));
  if (told.length === 0) return cleanTrack(known);
  const all = cleanTrack([...known, ...told]);
  await store.setFact('track', all.slice(-KEPT_MAX));
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
async function askBox(
  parts: Parts,
  spans: readonly { readonly from: number; readonly to: number }[],
): Promise<readonly Fix[]> {
  const { link, store } = parts;
  const release = link.acquire();
  try {
    const verified = link.current ?? (await connected(parts));
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
async function connected({ link, connectivity, store }: Parts): Promise<Parts['link']['current']> {
  if (connectivity.upstream.get() === null) return undefined;
  return new Promise((resolve) => {
    const settle = (): void => {
      stop();
      callOff();
      resolve(link.current);
    };
    const stop = link.state.subscribe(() => {
      if (link.current !== undefined) settle();
    });
    const callOff = store.host.timers.after(CONNECT_MS, settle);
  });
}
