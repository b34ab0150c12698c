import type { WireError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import type { OpRow } from '../../ops/database';
import { findOps } from '../../ops/segments';
import { edgeName } from '../../sync/custody/custody';
import type { CustodyIndex, PhotographCustody, SurveyTally } from '../../sync/custody/custody-index';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey, liveDocuments, textOr } from '../repository-context';

export interface SurveyCustody extends SurveyTally {
  readonly surveyId: SurveyId;
  readonly name: string;
  /** ISO date; empty if unknown. */
  readonly date: string;
  /** ISO 8601 of its first write. */
  readonly createdAt: string;
  /** True if it belongs to another user of this tablet: only its counts are shown. */
  readonly isOfOthers: boolean;
  /** Photographs being sent now. */
  readonly onItsWay: number;
}

/** Position of a photograph, one cell of the waffle: the furthest place that has it, or its obstacle. */
type CustodyPlace = 'tablet' | 'on-its-way' | 'box' | 'shore' | 'held' | 'elsewhere' | 'missing' | 'lost';

export interface PhotographStatus {
  readonly id: ImageId;
  /** Number in the survey, from 1, in the order in which this tablet learned of it. */
  readonly number: number;
  readonly sha256: string;
  readonly place: CustodyPlace;
  readonly isOnTablet: boolean;
  /** True if its full size was freed here after the cloud's proof; the preview stays. */
  readonly isFreed: boolean;
  /** Fraction 0..1 of its bytes that arrived; only while being sent. */
  readonly fraction: number | null;
  readonly to: 'box' | 'shore';
  /** Box that signed its receipt, and its time (ISO 8601, by the box's clock). */
  readonly box: { readonly name: string; readonly storedAt: string } | null;
  readonly shore: { readonly storedAt: string } | null;
  /** Name of the box that had its bytes and lost them; null if none, or if a box or the cloud has them. */
  readonly lostBy: string | null;
  /** Reason that it is held, or that the last attempt failed. */
  readonly reason: WireError | null;
  /** True if its bytes are safe but a later edit of its record is still owed. */
  readonly isEditOwed: boolean;
}

/** Further facts of a photograph for a row. */
export interface PhotographName {
  readonly name: string;
  readonly hasPreview: boolean;
}

/**
 * Custody of all photographs, counted from receipts without reading records. All users' work counts, since it concerns
 * anyone who holds the tablet; hidden surveys show only counts.
 */
export interface PhotographCustodyRepository {
  readonly surveys: LiveQuery<SurveyCustody>;
  /** Photographs of a survey that are not removed, in order; none of other users. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<PhotographStatus>;
  /** Name and preview of the photographs of visible rows; none of other users. */
  readonly names: (ids: readonly ImageId[]) => Promise<ReadonlyMap<ImageId, PhotographName>>;
}

/** Name of a survey of which only photographs are known. */
const UNKNOWN_SURVEY_NAME = 'Removed survey, or not received yet';
/** Name of a survey that the current user may not see. */
export const OTHERS_SURVEY_NAME = 'Another user’s survey';

/** Hides the server's message, which may reveal another user's work. */
export function withoutDetails({ code, retryable }: WireError): WireError {
  return { code, message: 'This belongs to another user of this tablet. Only they can see the reason.', retryable };
}

export function createPhotographCustodyRepository(
  parts: RepositoryContext,
  index: CustodyIndex,
): PhotographCustodyRepository {
  const { store, sync, access } = parts;
  const documents = liveSurveyNames(parts);
  return {
    surveys: createLiveQuery<SurveyCustody>({
      resetOn: access.changed,
      start: (tell) => {
        const show = (): void => {
          const read = documents.get();
          if (read.status === 'error') tell.failed(read.error);
          if (read.status !== 'ready') return;
          tell.items(surveyCustodies(parts, index, new Map(read.items.map((item) => [item.surveyId, item]))));
        };
        const stops = [
          index.retain(),
          index.changed.subscribe(show),
          sync.progress.facts.subscribe(show),
          documents.subscribe(show),
          access.changed.subscribe(show),
        ];
        show();
        return () => stops.forEach((stop) => stop());
      },
    }),
    ofSurvey: memoizeByKey((surveyId: SurveyId) =>
      createLiveQuery<PhotographStatus>({
        resetOn: access.changed,
        start: (tell) => {
          const show = (): void =>
            tell.items(access.canSeeSurvey(surveyId) ? photographStatuses(parts, index, surveyId) : []);
          const stops = [
            index.retain(),
            index.changed.subscribe(show),
            sync.progress.facts.subscribe(show),
            access.changed.subscribe(show),
          ];
          show();
          return () => stops.forEach((stop) => stop());
        },
      }),
    ),
    names: async (ids) => {
      const refs = ids.flatMap((id) => {
        const known = index.photograph(id);
        return known === undefined || !access.canSeeSurvey(known.surveyId)
          ? []
          : [{ kind: 'image' as const, docId: id, opId: known.opId }];
      });
      const rows = await store.run(() => findOps(store, refs));
      return new Map([...rows.values()].map((row) => [row.docId as ImageId, nameOf(row)]));
    },
  };
}

/** Surveys that the current user may see, without their photographs. */
export function liveSurveyNames(
  parts: RepositoryContext,
): LiveQuery<{
  readonly surveyId: SurveyId;
  readonly name: string;
  readonly date: string;
  readonly createdAt: string;
}> {
  return liveDocuments(parts, {
    kinds: ['survey'],
    view: ({ survey = [] }) =>
      survey.map(({ id, doc, createdAt }) => {
        const loc = isObject(doc['loc']) ? doc['loc'] : {};
        return {
          surveyId: id as SurveyId,
          name: textOr(doc['name'], textOr(loc['name'], '')),
          date: textOr(doc['date'], ''),
          createdAt,
        };
      }),
  });
}

/** Reason for a photograph whose proof came from an earlier cloud epoch. */
const FREED_BUT_LOST: WireError = {
  code: 'not-found',
  message:
    'The shore confirmed this photograph, so its space was freed here. The shore’s storage has since been replaced. Look for the original.',
  retryable: false,
};

function surveyCustodies(
  { sync, access }: RepositoryContext,
  index: CustodyIndex,
  known: ReadonlyMap<string, { readonly name: string; readonly date: string; readonly createdAt: string }>,
): readonly SurveyCustody[] {
  const moving = new Map<string, number>();
  for (const { docId, bytes } of sync.progress.facts.get().inFlight) {
    const surveyId = bytes > 0 ? index.photograph(docId)?.surveyId : undefined;
    if (surveyId !== undefined) moving.set(surveyId, (moving.get(surveyId) ?? 0) + 1);
  }
  return index.surveyIds
    .map((surveyId): SurveyCustody => {
      const isOfOthers = !access.canSeeSurvey(surveyId);
      const survey = isOfOthers ? undefined : known.get(surveyId);
      return {
        ...index.tally(surveyId),
        surveyId,
        isOfOthers,
        name: survey?.name ?? (isOfOthers ? OTHERS_SURVEY_NAME : UNKNOWN_SURVEY_NAME),
        date: survey?.date ?? '',
        createdAt: survey?.createdAt ?? '',
        onItsWay: moving.get(surveyId) ?? 0,
      };
    })
    .filter(({ total }) => total > 0)
    .sort(
      (a, b) =>
        Number(a.isOfOthers) - Number(b.isOfOthers) ||
        compareText(b.date, a.date) ||
        compareText(b.createdAt, a.createdAt),
    );
}

function photographStatuses(
  { opIndex, sync, connectivity }: RepositoryContext,
  index: CustodyIndex,
  surveyId: SurveyId,
): readonly PhotographStatus[] {
  const { delays } = sync.progress;
  const to = connectivity.targetKind();
  const going = new Map(
    sync.progress.facts
      .get()
      .inFlight.flatMap((item) => (item.bytes > 0 ? [[item.docId, item.sent / item.bytes] as const] : [])),
  );
  return index
    .photographs(surveyId)
    .filter(({ isRemoved }) => !isRemoved)
    .map((standing, i): PhotographStatus => {
      const fraction =
        standing.edgeReceipt === undefined && standing.cloudReceipt === undefined
          ? (going.get(standing.id) ?? null)
          : null;
      const { edgeReceipt, cloudReceipt } = standing;
      return {
        id: standing.id,
        number: i + 1,
        sha256: standing.sha256,
        place: placeOf(standing, fraction),
        isOnTablet: standing.isLocal && !standing.isDamaged,
        isFreed: standing.wasFreed,
        fraction,
        to,
        box:
          edgeReceipt === undefined
            ? null
            : { name: edgeName(opIndex, edgeReceipt) ?? 'a forgotten box', storedAt: edgeReceipt.storedAt },
        shore: cloudReceipt === undefined ? null : { storedAt: cloudReceipt.storedAt },
        lostBy: standing.lostBy,
        reason:
          standing.held ??
          (standing.wasFreed && edgeReceipt === undefined && cloudReceipt === undefined ? FREED_BUT_LOST : undefined) ??
          delays.get(standing.opId)?.problem ??
          null,
        isEditOwed: standing.isEditOwed,
      };
    });
}

function placeOf(
  { edgeReceipt, cloudReceipt, lostBy, held, isLocal, wasFreed, isDamaged }: PhotographCustody,
  fraction: number | null,
): CustodyPlace {
  if (cloudReceipt !== undefined) return 'shore';
  if (edgeReceipt !== undefined) return 'box';
  if (isDamaged || wasFreed) return 'lost';
  if (held !== undefined) return 'held';
  if (fraction !== null) return 'on-its-way';
  if (isLocal) return 'tablet';
  return lostBy === null ? 'elsewhere' : 'missing';
}

function nameOf({ op, docId }: OpRow): PhotographName {
  return { name: textOr(op.body['path'], docId), hasPreview: op.body['preview'] === 'made' };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
