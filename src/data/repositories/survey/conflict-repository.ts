import type { Folded } from '../../../domain/fold/fold';
import { fold } from '../../../domain/fold/fold';
import type { OpId, SurveyId } from '../../../domain/ids';
import type { Json, JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import type { OpKind } from '../../../domain/op/op';
import { OP_KINDS, WHOLE } from '../../../domain/op/op';
import { draftSettle } from '../../../domain/op/draft';
import type { ReadDoc } from '../../db/read-model';
import { createLiveQuery } from '../live-query';
import type { LiveQuery } from '../live';
import { withCrewNames } from '../account/crew-names';
import { profileName, type ProfileName } from '../account/profile-name';
import type { RepositoryContext } from '../repository-context';
import { effectiveOps } from '../../ops/effective-ops';
import { draftFacts, liveDocuments, saveOp, readDocument, textOr } from '../repository-context';

/** Field that two people wrote without seeing each other's value (protocol, "Fold"). */
export interface ConflictView {
  readonly kind: OpKind;
  readonly docId: string;
  readonly field: string;
  readonly shown: Json;
  /** Author of the value shown, and its time (ISO 8601). */
  readonly shownBy: string | null;
  readonly shownAt: string | null;
  /** Name of the document: a survey, or the survey of a photograph. */
  readonly about: { readonly name: string; readonly surveyId: SurveyId | null };
  /** Other values, each with its operation, and with author and time if known. */
  readonly others: readonly {
    readonly opId: OpId;
    readonly value: Json;
    readonly by: string | null;
    readonly madeAt: string | null;
  }[];
}

export interface ConflictRepository {
  readonly all: LiveQuery<ConflictView>;
  /** Names of the authors of those values by uid, if their profiles are on this tablet or a box named them. */
  readonly names: LiveQuery<ProfileName>;
  /**
   * Picks the value that replaces all live ones of the field.
   * @throws ReefError `not-found`, `storage-full`
   */
  readonly resolve: (of: { kind: OpKind; docId: string; field: string }, value: Json) => Promise<void>;
}

export function createConflictRepository(parts: RepositoryContext): ConflictRepository {
  const documents = liveDocuments<{ kind: OpKind; document: ReadDoc }>(parts, {
    kinds: OP_KINDS,
    view: (found) =>
      OP_KINDS.flatMap((kind) =>
        (found[kind] ?? []).filter(({ conflicts }) => conflicts.length > 0).map((document) => ({ kind, document })),
      ),
  });
  // Names of conflicting authors are shown to anyone; those of this tablet's other users are not.
  const profiles = withCrewNames(
    parts,
    liveDocuments<ProfileName>(parts, {
      kinds: ['profile'],
      scope: 'everybody',
      view: ({ profile = [] }) => profile.map(profileName),
    }),
  );
  const all = createLiveQuery<ConflictView>({
    resetOn: parts.access.changed,
    start: (tell) => {
      let latest = 0;
      const show = (): void => {
        // Results still loading for the previous user are dropped.
        const turn = (latest += 1);
        const read = documents.get();
        if (read.status === 'error') tell.failed(read.error);
        if (read.status !== 'ready') return;
        Promise.all(read.items.map(({ kind, document }) => viewsOf(parts, kind, document))).then(
          (views) => {
            if (turn === latest) tell.items(views.flat());
          },
          (error: unknown) => tell.failed(error),
        );
      };
      return documents.subscribe(show);
    },
  });
  return {
    all,
    names: createLiveQuery({
      resetOn: parts.access.changed,
      start: (tell) => {
        const show = (): void => {
          const read = profiles.get();
          if (read.status === 'error') tell.failed(read.error);
          if (read.status !== 'ready') return;
          const writers = new Set(
            all.get().items.flatMap(({ shownBy, others }) => [shownBy, ...others.map(({ by }) => by)]),
          );
          tell.items(read.items.filter(({ uid }) => writers.has(uid)));
        };
        const stops = [all.subscribe(show), profiles.subscribe(show)];
        return () => stops.forEach((stop) => stop());
      },
    }),
    resolve: async ({ kind, docId, field }, value) => {
      await saveOp(parts, draftSettle(await readDocument(parts, kind, docId), field, value, draftFacts(parts, kind)));
    },
  };
}

async function viewsOf(
  { store }: RepositoryContext,
  kind: OpKind,
  { id, doc }: ReadDoc,
): Promise<readonly ConflictView[]> {
  const known = new Map((await effectiveOps(store, [[kind, id]])).map((row) => [row.opId, row]));
  const folded = fold([...known.values()].map(({ op }) => op));
  return [...new Set(folded.conflicts.map(({ field }) => field))].map((field) => {
    const writes = writesIn(folded, field).map((write) => ({
      ...write,
      by: known.get(write.opId)?.by ?? null,
      madeAt: known.get(write.opId)?.op.madeAt ?? null,
    }));
    const shown = writes.filter(({ isShown }) => isShown).at(-1);
    return {
      kind,
      docId: id,
      field,
      shown: shown?.value ?? null,
      shownBy: shown?.by ?? null,
      shownAt: shown?.madeAt ?? null,
      about: aboutOf(kind, id, doc),
      others: writes.flatMap(({ isShown, ...write }) => (isShown ? [] : [write])),
    };
  });
}

/** Live writes of a field in conflict, in order. */
function writesIn(
  { doc, conflicts, live }: Folded,
  field: string,
): readonly { readonly opId: OpId; readonly value: Json; readonly isShown: boolean }[] {
  const winning: Json = field === WHOLE ? doc : (doc[field] ?? null);
  const others = conflicts.filter((conflict) => conflict.field === field);
  return (live[field] ?? []).map((opId) => {
    const other = others.find((conflict) => conflict.opId === opId);
    const value = other === undefined ? winning : other.value;
    // While it is open whether a document is deleted, the document is shown (protocol, "Fold").
    return { opId, value, isShown: field === 'isDeleted' ? value !== true : other === undefined };
  });
}

function aboutOf(kind: OpKind, id: string, doc: JsonObject): ConflictView['about'] {
  const loc = isObject(doc['loc']) ? doc['loc'] : {};
  const survey = isObject(doc['survey']) ? doc['survey'] : {};
  switch (kind) {
    case 'survey':
      return { name: textOr(doc['name'], '') || textOr(loc['name'], ''), surveyId: id as SurveyId };
    case 'image':
      return {
        name: textOr(doc['path'], '') || textOr(survey['name'], ''),
        surveyId: (textOr(survey['id'], null) as SurveyId | null) ?? null,
      };
    default:
      return { name: '', surveyId: null };
  }
}
