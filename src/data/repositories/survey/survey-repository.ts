import type { PersonId, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { CameraClock } from '../../../domain/survey/camera-clock';
import type { NewSurvey } from '../../../domain/survey/survey';
import { ReefError } from '../../../domain/errors';
import { makeId } from '../../../domain/ids';
import { isObject } from '../../../domain/json';
import { draftDelete, draftEdit, draftFirst, draftRestore } from '../../../domain/op/draft';
import { recordOwner } from '../../../domain/policy/topic-policy';
import { parseClocks, withClock } from '../../../domain/survey/camera-clock';
import { newSurvey } from '../../../domain/survey/survey';
import type { DocumentSelector, ReadDoc } from '../../db/read-model';
import { computedValue } from '../../../base/live-value';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Custody } from '../../sync/custody/custody';
import type { CustodyIndex } from '../../sync/custody/custody-index';
import type { LiveQuery, Observable } from '../live';
import { withCrewNames } from '../account/crew-names';
import { profileName, type ProfileName } from '../account/profile-name';
import type { RepositoryContext } from '../repository-context';
import {
  memoizeByKey,
  custodyOfDocument,
  draftFacts,
  liveDocuments,
  saveOp,
  readDocument,
  textOr,
} from '../repository-context';
import { KeyedMutex } from '../../../base/keyed-mutex';

/** Facts of a new survey that a person enters (1§3, 3§3); id, person and time are added here. */
type SurveyDraft = Omit<NewSurvey, 'id' | 'uid' | 'madeAt'>;

export interface SurveyView {
  readonly id: SurveyId;
  readonly date: string;
  readonly name: string;
  readonly place: string;
  /** Reef number on the chart, such as `16-071`; null if the place is not a reef of the table. */
  readonly gid: string | null;
  readonly regionId: string;
  readonly person: PersonId | null;
  readonly images: { readonly total: number };
  readonly custody: Custody;
  /** Number of fields with conflicting values; resolve them with `ConflictRepository`. */
  readonly conflicts: number;
  /** ISO 8601 times of the first and the latest write. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly doc: JsonObject;
}

/** Surveys on this tablet, its own and those from the box, that the current user may see (`access-policy.ts`). */
export interface SurveyRepository {
  readonly all: LiveQuery<SurveyView>;
  /** Number of hidden surveys of this tablet's other users; counted while `all` is subscribed. */
  readonly othersCount: Observable<number>;
  /** No item if it is unknown, deleted or another user's. The same object for the same id. */
  readonly one: (id: SurveyId) => LiveQuery<SurveyView>;
  /** Names by uid of the people who work on these surveys, if their profiles are on this tablet. */
  readonly authors: LiveQuery<ProfileName>;
  /** True if it is another user's, so that it is hidden. The same object for the same id. */
  readonly isOfOthers: (id: SurveyId) => Observable<boolean>;
  /**
   * Settles once it is saved on this tablet.
   * @throws ReefError `unlinked-survey` without a current user; `storage-full`; `internal`; nothing half-stored
   */
  readonly add: (draft: SurveyDraft) => Promise<SurveyId>;
  /**
   * Sets some fields; edits of one survey are serialised.
   * @param changes the fields, or a function of the current document
   * @throws ReefError `not-found`, `storage-full`
   */
  readonly edit: (id: SurveyId, changes: JsonObject | ((doc: JsonObject) => JsonObject)) => Promise<void>;
  /**
   * Soft delete; an edit unknown to this tablet restores it, flagged.
   * @throws ReefError `not-found`
   */
  readonly remove: (id: SurveyId) => Promise<void>;
  readonly removed: LiveQuery<SurveyView>;
  /** @throws ReefError `not-found`, `storage-full` */
  readonly restore: (id: SurveyId) => Promise<void>;
  /**
   * Sets a camera's clock offset.
   * @param clock.camera as in `cameraName`; null: every camera without a clock of its own
   * @param clock.offsetMs to add to the camera's reading, read as UTC
   * @throws ReefError `not-found`, `storage-full`
   */
  readonly setCameraClock: (id: SurveyId, clock: Omit<CameraClock, 'at'>) => Promise<void>;
  /** Survey last open on this tablet, across restarts, if the current user may see it. */
  readonly current: Observable<SurveyId | null>;
  readonly setCurrent: (id: SurveyId | null) => Promise<void>;
}

/** @param index counts the photographs, so that no photograph's document is read */
export function createSurveyRepository(
  parts: RepositoryContext,
  index: CustodyIndex,
): SurveyRepository & { readonly close: () => void } {
  const { store } = parts;
  const { access } = parts;
  const current = new ObservableValue<SurveyId | null>(null);
  let chosen: SurveyId | null = null;
  const showCurrent = (): void => current.set(chosen !== null && access.canSeeSurvey(chosen) ? chosen : null);
  const stops = [
    access.changed.subscribe(showCurrent),
    store.watch(
      () => store.db.meta.get('currentSurvey'),
      (row) => {
        chosen = (row?.value as SurveyId | null | undefined) ?? null;
        showCurrent();
      },
    ),
  ];
  const othersCount = new ObservableValue(0);
  const mutex = new KeyedMutex<SurveyId>();
  const followCounts = (changed: () => void): (() => void) => {
    const stops = [index.changed.subscribe(changed), index.retain()];
    return () => stops.forEach((stop) => stop());
  };
  const query = (selector: DocumentSelector, onHidden?: (count: number) => void): LiveQuery<SurveyView> =>
    liveDocuments<SurveyView>(parts, {
      kinds: ['survey'],
      selector: { survey: selector },
      alsoFollow: followCounts,
      ...(onHidden === undefined ? {} : { onHidden }),
      view: ({ survey = [] }) =>
        survey
          .map((document) => viewOf(parts, document, index.tally(document.id).total))
          .sort((a, b) => compare(dayOf(b), dayOf(a)) || compare(b.createdAt, a.createdAt)),
    });
  const removed = liveDocuments<SurveyView>(parts, {
    kinds: ['survey'],
    selector: { survey: { isDeleted: true } },
    view: ({ survey = [] }) =>
      survey.map((document) => viewOf(parts, document, 0)).sort((a, b) => compare(b.updatedAt, a.updatedAt)),
  });
  return {
    all: query({}, (count) => othersCount.set(count)),
    othersCount,
    isOfOthers: memoizeByKey((id: SurveyId) =>
      computedValue<boolean>(
        () => !access.canSeeSurvey(id),
        (refresh) => [access.changed.subscribe(refresh), parts.opIndex.onChange(refresh)],
      ),
    ),
    authors: withCrewNames(
      parts,
      liveDocuments<ProfileName>(parts, {
        kinds: ['profile', 'survey'],
        scope: 'everybody',
        // Another user of this tablet is named only where they share a survey.
        view: ({ profile = [], survey = [] }) => {
          const visible = new Set<string>(access.filterVisible('profile', profile).map(({ id }) => id));
          for (const { doc } of access.filterVisible('survey', survey)) visible.add(recordOwner(doc) ?? '');
          return profile.filter(({ id }) => visible.has(id)).map(profileName);
        },
      }),
    ),
    one: memoizeByKey((id: SurveyId) => query({ id })),
    current,
    setCurrent: (id) => store.setMeta('currentSurvey', id),
    close: () => stops.forEach((stop) => stop()),
    add: async (draft) => {
      const person = parts.person.get();
      if (person === null) throw new ReefError('unlinked-survey');
      const facts = draftFacts(parts, 'survey');
      const id = makeId<SurveyId>(store.host.randomBytes);
      const org = draft.org ?? person.org;
      await saveOp(
        parts,
        draftFirst('survey', newSurvey({ ...draft, id, uid: person.uid, org, madeAt: facts.madeAt }), facts),
      );
      return id;
    },
    // Two edits from the same document would each replace only what they saw, and conflict.
    edit: (id, changes) =>
      mutex.run(id, async () => {
        const survey = await requireSurvey(parts, id);
        const edit = draftEdit(
          survey,
          typeof changes === 'function' ? changes(survey.folded.doc) : changes,
          draftFacts(parts, 'survey'),
        );
        if (edit !== undefined) await saveOp(parts, edit);
      }),
    remove: (id) =>
      mutex.run(id, async () => {
        await saveOp(parts, draftDelete(await requireSurvey(parts, id), draftFacts(parts, 'survey')));
      }),
    removed,
    restore: (id) =>
      mutex.run(id, async () => {
        const survey = await readDocument(parts, 'survey', id);
        if (survey.folded.deleted) await saveOp(parts, draftRestore(survey, draftFacts(parts, 'survey')));
      }),
    setCameraClock: (id, { camera, offsetMs, how }) =>
      mutex.run(id, async () => {
        const survey = await requireSurvey(parts, id);
        const clocks = withClock(parseClocks(survey.folded.doc['cameraClocks']), {
          camera,
          offsetMs,
          how,
          at: store.isoNow(),
        });
        const edit = draftEdit(
          survey,
          { cameraClocks: clocks.map((clock) => ({ ...clock })) },
          draftFacts(parts, 'survey'),
        );
        if (edit !== undefined) await saveOp(parts, edit);
      }),
  };
}

async function requireSurvey(parts: RepositoryContext, id: SurveyId): ReturnType<typeof readDocument> {
  const survey = await readDocument(parts, 'survey', id);
  if (survey.folded.deleted) throw new ReefError('not-found', { message: 'This survey was deleted.' });
  return survey;
}

/** Keeps unchanged views identical, so that they are not rendered again. */
const viewCache = new WeakMap<ReadDoc, SurveyView>();

function viewOf(parts: RepositoryContext, document: ReadDoc, total: number): SurveyView {
  const { id, doc, conflicts, createdAt, updatedAt } = document;
  const here = custodyOfDocument(parts, 'survey', id);
  const before = viewCache.get(document);
  if (before?.images.total === total && isJsonEqual(before.custody, here)) return before;
  const loc = isObject(doc['loc']) ? doc['loc'] : {};
  const user = isObject(doc['user']) ? doc['user'] : {};
  const place = textOr(loc['name'], '');
  const made: SurveyView = {
    id: id as SurveyId,
    date: textOr(doc['date'], ''),
    name: textOr(doc['name'], place),
    place,
    gid: textOr(loc['gid'], null),
    regionId: textOr(loc['regionId'], ''),
    person: textOr(user['uid'], null) as PersonId | null,
    images: { total },
    custody: here,
    conflicts: conflicts.length,
    createdAt,
    updatedAt,
    doc,
  };
  viewCache.set(document, made);
  return made;
}

/** Date for sorting; without one, the day the survey was begun. */
function dayOf({ date, createdAt }: SurveyView): string {
  return date === '' ? createdAt : date;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
