import { ReefError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import { surveyPosition } from '../../../domain/survey/survey';
import type { CensusImageCache, CensusRow, CachedImage } from '../../cache/census-image-cache';
import type { CensusImage } from '../../transport/cloud/census-reads';
import { CensusReads } from '../../transport/cloud/census-reads';
import type { TraceImage } from './types';
import { positionOf } from '../image/photograph-view';
import type { RepositoryContext } from '../repository-context';
import { readDocuments, textOr } from '../repository-context';

/** Cloud reads on behalf of the signed-in person, else of this tablet; null without a link. */
export async function censusReads(parts: RepositoryContext, uid: string | null): Promise<CensusReads | null> {
  const cloud = await cloudServer(parts, uid);
  return cloud === null ? null : new CensusReads(parts.store.host, cloud.origin, cloud.bearer);
}

/** Cloud, and the bearer token of the signed-in person, else of this tablet; null without a link. */
export async function cloudServer(
  { store, connectivity, opIndex }: RepositoryContext,
  uid: string | null,
): Promise<{ readonly origin: string; readonly bearer: string } | null> {
  const { answering, offlineByChoice, browserOnline } = connectivity.facts.get();
  const cloud = opIndex.clouds.find(({ origin }) => origin !== null);
  if (
    cloud === undefined ||
    cloud.origin === null ||
    offlineByChoice ||
    !browserOnline ||
    (answering !== 'www' && answering !== 'unknown')
  )
    return null;
  const account = (await store.run(() => store.db.accounts.toArray())).find(
    (row) => row.nodeId === cloud.nodeId && row.uid === uid,
  );
  const bearer = account?.session ?? cloud.credential;
  return bearer === null ? null : { origin: cloud.origin, bearer };
}

/** Photograph of a survey on this tablet; null if the current user may not see one. */
export async function ownImage(
  parts: RepositoryContext,
  imageId: ImageId,
): Promise<{ readonly image: TraceImage; readonly doc: JsonObject } | null> {
  const { access } = parts;
  const [document] = await readDocuments(parts, 'image', [imageId]);
  if (document === undefined || document.folded.deleted || !access.canSeeDocument('image', imageId)) return null;
  const { doc } = document.folded;
  const surveyId = isObject(doc['survey']) ? textOr(doc['survey']['id'], null) : null;
  if (surveyId === null || !access.canSeeSurvey(surveyId)) return null;
  const [survey] = await readDocuments(parts, 'survey', [surveyId]);
  if (survey === undefined || survey.folded.deleted) return null;
  return { image: await viewOf(parts, imageId, doc, surveyId as SurveyId, survey.folded.doc), doc };
}

async function viewOf(
  parts: RepositoryContext,
  id: ImageId,
  doc: JsonObject,
  surveyId: SurveyId,
  survey: JsonObject,
): Promise<TraceImage> {
  const member = (of: JsonObject, name: string): JsonObject => (isObject(of[name]) ? (of[name] as JsonObject) : {});
  const loc = member(survey, 'loc');
  const uid = textOr(member(doc, 'user')['uid'], null);
  const [profile] =
    uid === null || !parts.access.canSeeDocument('profile', uid) ? [] : await readDocuments(parts, 'profile', [uid]);
  const org = member(member(survey, 'user'), 'org');
  return {
    id,
    survey: {
      id: surveyId,
      name: textOr(survey['name'], textOr(loc['name'], '')),
      regionId: textOr(loc['regionId'], null),
    },
    source: 'own',
    name: textOr(doc['path'], ''),
    latitude: positionOf(doc)?.latitude ?? surveyPosition(survey)?.latitude ?? null,
    photographer: {
      name: fullName(member(profile?.folded.doc ?? {}, 'name')),
      organisation: textOr(org['name'], textOr(org['handle'], null)),
    },
    path: null,
    hasCorrected: false,
  };
}

function fullName(name: { readonly [part: string]: unknown }): string | null {
  const words = [name['first'], name['last']]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(' ');
  return words === '' ? null : words;
}

function censusView(image: CensusImage): TraceImage {
  const { id, token, url, path, survey, user, position, color_corrected, analyses } = image;
  return {
    id: id as ImageId,
    survey: { id: survey.id as SurveyId, name: survey.name ?? '', regionId: survey.regionId ?? null },
    source: 'census',
    name: path ?? '',
    latitude: position?.latitude ?? survey._geoloc?.latitude ?? null,
    photographer: { name: fullName(user?.name ?? {}), organisation: user?.org?.name ?? user?.org?.handle ?? null },
    path: `${token}/${url}`,
    hasCorrected: color_corrected !== null && color_corrected !== undefined,
    ...(analyses === undefined ? {} : { analyses }),
  };
}

export function toCachedImage(image: CensusImage): CachedImage {
  const { color_corrected: corrected = null } = image;
  return { view: censusView(image), corrected: corrected === null ? null : `${corrected.token}/${corrected.url}` };
}

/** False for a photograph that the cloud showed another person by its id: it may be of a private survey. */
export const maySeeCached = ({ access }: RepositoryContext, { seenBy }: CensusRow): boolean =>
  seenBy === undefined || access.ownIds.has(seenBy);

/**
 * Finds own photographs, then cached, then the cloud's.
 * @throws ReefError `not-found`, from the cloud
 */
export async function findImage(
  parts: RepositoryContext,
  memory: CensusImageCache,
  surveyId: SurveyId,
  imageId: ImageId,
): Promise<TraceImage> {
  const own = await ownImage(parts, imageId);
  if (own !== null && own.image.survey.id === surveyId) return own.image;
  // A photograph on this tablet that is hidden or deleted is not fetched another way.
  if (parts.opIndex.entriesOf('image', imageId).length > 0) throw notFoundError();
  const kept = await memory.getImage(imageId);
  if (kept?.image.view.source === 'census' && kept.image.view.survey.id === surveyId && maySeeCached(parts, kept)) {
    await memory.storeImage(imageId, kept.image, kept.isExpert, kept.seenBy);
    return kept.image.view;
  }
  const uid = parts.person.get()?.uid ?? null;
  const reads = await censusReads(parts, uid);
  const found = reads === null ? null : await reads.fetchImage(imageId);
  if (found === null || found.survey.id !== surveyId) throw notFoundError();
  await memory.storeImage(imageId, toCachedImage(found), false, uid ?? undefined);
  return censusView(found);
}

function notFoundError(): ReefError {
  return new ReefError('not-found', {
    message: 'This photograph is not on this tablet, and no server in reach has it.',
  });
}

export const sha256Of = (doc: JsonObject): Sha256 => textOr(doc['sha256'], '') as Sha256;
