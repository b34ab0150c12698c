import type { ImageId, SurveyId } from '../../domain/ids';
import { readClocks } from '../../domain/survey/camera-clock';
import type { Fix } from '../../domain/track/track';
import { cleanTrack, placeAt } from '../../domain/track/track';
import { surveyHere } from './image-adding';
import { edit, imagesOf } from './image-arranging';
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
  const fixes = await trackBetween(parts, Math.min(...timed.map(({ ms }) => ms)), Math.max(...timed.map(({ ms }) => ms)));
  let placed = 0;
  for (const { id, ms } of timed) {
    const place = placeAt(fixes, ms);
    if (place === null) continue;
    await edit(parts, id, { position: { ...place, source: 'vessel' } });
    placed += 1;
  }
  return { placed, without: bare.length - placed };
}

/** The vessel's fixes that this tablet knows for a time. */
async function trackBetween({ store }: Parts, fromMs: number, toMs: number): Promise<readonly Fix[]> {
  const kept = (await store.fact('track')) ?? [];
  return cleanTrack(kept.filter(({ ms }) => ms >= fromMs - AROUND_MS && ms <= toMs + AROUND_MS));
}

/** Fixes before and after the photographs that are looked at too. */
const AROUND_MS = 30 * 60_000;
