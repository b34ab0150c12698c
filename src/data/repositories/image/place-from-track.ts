import type { ImageId, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { parseClocks } from '../../../domain/survey/camera-clock';
import { divePosition } from '../../../domain/survey/survey';
import type { QueryData } from '../../../protocol/edge-socket';
import type { Fix } from '../../../geo/track';
import { cleanTrack, positionAt } from '../../../geo/track';
import { requireSurvey } from './add-photograph';
import { editImages, imagesOfSurvey } from './edit-images';
import { positionOf, takenOf } from './photograph-view';
import type { RepositoryContext } from '../repository-context';

/** Number of photographs that got a position, and of those still without. */
export interface PlacedFromTrack {
  readonly placed: number;
  readonly without: number;
  /** Set if the box's track was needed and could not be read: those without may still get a position. */
  readonly isTrackUnread?: true;
}

/** Implements `ImageRepository.placeFromTrack`. */
export async function placeFromTrack(parts: RepositoryContext, surveyId: SurveyId): Promise<PlacedFromTrack> {
  const { folded } = await requireSurvey(parts, surveyId);
  const clocks = parseClocks(folded.doc['cameraClocks']);
  const bare = (await imagesOfSurvey(parts, surveyId)).filter(({ doc }) => positionOf(doc) === null);
  const timed = bare.flatMap(({ id, doc }) => {
    const { utc } = takenOf(doc, clocks);
    return utc === null ? [] : [{ id: id as ImageId, ms: Date.parse(utc) }];
  });
  if (timed.length === 0) return { placed: 0, without: bare.length };
  const { fixes, isUnread } = await trackAround(
    parts,
    timed.map(({ ms }) => ms),
  );
  const places = timed.flatMap(({ id, ms }): [ImageId, JsonObject][] => {
    const place = positionAt(fixes, ms);
    return place === null ? [] : [[id, { position: { ...place, source: 'vessel' } }]];
  });
  const placed = await editImages(parts, new Map(places));
  return { placed, without: bare.length - placed, ...(isUnread ? { isTrackUnread: true } : {}) };
}

/** Implements `ImageRepository.placeAtDive`. */
export async function placeAtDive(parts: RepositoryContext, surveyId: SurveyId): Promise<PlacedFromTrack> {
  const point = divePosition((await requireSurvey(parts, surveyId)).folded.doc);
  const bare = (await imagesOfSurvey(parts, surveyId)).filter(({ doc }) => positionOf(doc) === null);
  if (point === undefined) return { placed: 0, without: bare.length };
  const position: JsonObject = { latitude: point.latitude, longitude: point.longitude, source: 'dive' };
  const placed = await editImages(parts, new Map(bare.map(({ id }) => [id as ImageId, { position }])));
  return { placed, without: bare.length - placed };
}

/** Margin before and after the photographs in which fixes are used, ms. */
const AROUND_MS = 30 * 60_000;
/** Span of one query, ms: the box returns at most 2000 fixes each. */
const SPAN_MS = 60 * 60_000;
/** Most fixes stored on the tablet, the latest: two days at one in ten seconds. */
const TRACK_FIXES_MAX = 20_000;
/** Longest wait for the connection to a box that answers, ms: as long as one attempt takes at most. */
const CONNECT_MS = 20_000;

/** Fixes around these times; those from the box are stored and serve while it is away or not read. */
async function trackAround(
  parts: RepositoryContext,
  moments: readonly number[],
): Promise<{ readonly fixes: readonly Fix[]; readonly isUnread: boolean }> {
  const { store } = parts;
  const known = (await store.getMeta('track')) ?? [];
  const received = await queryBoxTrack(parts, spansOf(moments));
  if (received === undefined) return { fixes: cleanTrack(known), isUnread: true };
  const fixes = cleanTrack([...known, ...received]);
  if (received.length > 0) await store.setMeta('track', fixes.slice(-TRACK_FIXES_MAX));
  return { fixes, isUnread: false };
}

/** Spans that cover all times with their margins, none longer than one query. */
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

/** Fixes of the box's track in the spans; undefined if it could not be read. */
async function queryBoxTrack(
  parts: RepositoryContext,
  spans: readonly { readonly from: number; readonly to: number }[],
): Promise<readonly Fix[] | undefined> {
  const { edgeLink, store } = parts;
  const release = edgeLink.acquire();
  try {
    const verified = edgeLink.current ?? (await waitForConnection(parts));
    if (verified === undefined) return undefined;
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
    store.host.log.note('info', 'The box’s track could not be fetched; using the positions known here.', {
      error: String(error),
    });
    return undefined;
  } finally {
    release();
  }
}

/** Connection to the box once established; undefined if the box stops answering, refuses it, or takes too long. */
async function waitForConnection({
  edgeLink,
  connectivity,
  store,
}: RepositoryContext): Promise<RepositoryContext['edgeLink']['current']> {
  const isHopeless = (): boolean =>
    connectivity.answeringEdge.get() === null || edgeLink.state.get().status === 'refused';
  if (isHopeless()) return undefined;
  return new Promise((resolve) => {
    const settle = (): void => {
      stops.forEach((stop) => stop());
      resolve(edgeLink.current);
    };
    const settleIfDecided = (): void => {
      if (edgeLink.current !== undefined || isHopeless()) settle();
    };
    const stops = [
      edgeLink.state.subscribe(settleIfDecided),
      connectivity.answeringEdge.subscribe(settleIfDecided),
      store.host.timers.after(CONNECT_MS, settle),
    ];
    // A person waits: the pause between two attempts ends.
    edgeLink.retryNow();
  });
}
