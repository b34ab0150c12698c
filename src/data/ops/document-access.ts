import type { OpKind } from '../../domain/op/op';
import { isObject } from '../../domain/json';
import type { TabletPeople, SurveyPeople, Viewer } from '../../domain/policy/access-policy';
import { accessToOwned, canSeeSurvey, viewerOf } from '../../domain/policy/access-policy';
import { recordOwner } from '../../domain/policy/topic-policy';
import type { ReadDoc } from '../db/read-model';
import type { ObservableValue } from '../../base/observable';
import { Emitter } from '../../base/emitter';
import type { OpIndex, OpIndexEntry } from './op-index';

/** User facts that access depends on. */
interface CurrentUser {
  readonly uid: string;
  readonly email: string;
}

interface SurveyMembers {
  /** Owners named by its record. */
  readonly owners: Set<string>;
  readonly participants: Set<string>;
  /** First author; counts as owner if no known record names one. */
  firstAuthor: string | null;
}

/**
 * Filters documents by what the current user may see (`access-policy.ts`). Every screen query uses it. A no-op while
 * only one person has used the tablet; otherwise survey members are collected once from the in-memory index.
 */
export class DocumentAccess {
  /** Emitted when the current user changes, or the visibility of a survey. */
  readonly changed = new Emitter<void>();
  #viewer: Viewer = { ownIds: new Set(), others: new Set() };
  /** Members by survey; undefined: not collected yet. */
  #membersBySurvey: Map<string, SurveyMembers> | undefined;
  /** Cached visibility of surveys since the last change: ten thousand photographs ask for the same few. */
  readonly #visibleSurveys = new Map<string, boolean>();
  readonly #stops: readonly (() => void)[];
  #lastUser: CurrentUser | null;
  /** People who used this tablet since it was opened, stored yet or not. */
  #peopleSinceOpen: TabletPeople = {};

  readonly #opIndex: OpIndex;
  readonly #currentUser: Pick<ObservableValue<CurrentUser | null>, 'get' | 'subscribe'>;
  readonly #storedPeople: Pick<ObservableValue<TabletPeople>, 'get' | 'subscribe'>;

  constructor(
    opIndex: OpIndex,
    person: Pick<ObservableValue<CurrentUser | null>, 'get' | 'subscribe'>,
    known: Pick<ObservableValue<TabletPeople>, 'get' | 'subscribe'>,
  ) {
    this.#opIndex = opIndex;
    this.#currentUser = person;
    this.#storedPeople = known;
    this.#lastUser = person.get();
    this.#refresh();
    this.#stops = [
      person.subscribe(() => this.#refresh()),
      known.subscribe(() => this.#refresh()),
      opIndex.onChange((change) => {
        this.#visibleSurveys.clear();
        if (this.#membersBySurvey === undefined) return;
        if (change.kind === 'everything') this.#membersBySurvey = undefined;
        else for (const key of change.keys) this.#collectMembers(this.#membersBySurvey, this.#entriesOfKey(key));
      }),
    ];
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
  }

  /** Ids under which the current user was here; empty: no user. */
  get ownIds(): ReadonlySet<string> {
    return this.#viewer.ownIds;
  }

  /** True for someone who has used this tablet. */
  isOfTablet(uid: string): boolean {
    return this.#viewer.ownIds.has(uid) || this.#viewer.others.has(uid);
  }

  canSeeSurvey(surveyId: string): boolean {
    if (this.#viewer.others.size === 0) return true;
    const before = this.#visibleSurveys.get(surveyId);
    if (before !== undefined) return before;
    const known = this.#surveyMembers().get(surveyId);
    const sees = known === undefined || canSeeSurvey(this.#viewer, peopleOf(known));
    this.#visibleSurveys.set(surveyId, sees);
    return sees;
  }

  /**
   * True if a survey reported by someone else is visible.
   *
   * @param owner as reported; what this tablet knows applies too
   */
  canSeeRemoteSurvey(surveyId: string, owner: string | null): boolean {
    if (this.#viewer.others.size === 0) return true;
    return this.#surveyMembers().has(surveyId)
      ? this.canSeeSurvey(surveyId)
      : accessToOwned(this.#viewer, owner) !== 'not';
  }

  /** Returns the visible documents of a kind; the same list if all are visible. */
  filterVisible(kind: OpKind, documents: readonly ReadDoc[]): readonly ReadDoc[] {
    if (this.#viewer.others.size === 0 || documents.every((document) => this.#canSeeReadDoc(kind, document)))
      return documents;
    return documents.filter((document) => this.#canSeeReadDoc(kind, document));
  }

  /** True if a document of the index is visible. */
  canSeeDocument(kind: OpKind, docId: string): boolean {
    if (this.#viewer.others.size === 0) return true;
    const entries = this.#opIndex.entriesOf(kind, docId);
    const owner = entries.find((entry) => entry.owner !== null)?.owner ?? entries[0]?.by ?? null;
    return this.#isAllowed(
      kind,
      docId,
      entries.find(({ surveyId }) => surveyId !== undefined)?.surveyId ?? null,
      owner,
    );
  }

  #canSeeReadDoc(kind: OpKind, { id, surveyId, doc }: ReadDoc): boolean {
    const survey = isObject(doc['survey']) && typeof doc['survey']['id'] === 'string' ? doc['survey']['id'] : null;
    return this.#isAllowed(kind, id, surveyId === '' ? survey : surveyId, recordOwner(doc));
  }

  #isAllowed(kind: OpKind, docId: string, surveyId: string | null, owner: string | null): boolean {
    switch (kind) {
      case 'survey':
        return this.canSeeSurvey(docId);
      case 'image':
        return surveyId === null ? accessToOwned(this.#viewer, owner) !== 'not' : this.canSeeSurvey(surveyId);
      case 'analysis': {
        const whose = accessToOwned(this.#viewer, owner);
        return whose === 'own' || (whose === 'shared' && (surveyId === null || this.canSeeSurvey(surveyId)));
      }
      case 'profile':
        return accessToOwned(this.#viewer, docId) !== 'not';
    }
  }

  #refresh(): void {
    const now = this.#currentUser.get();
    // The previous user belongs to the people of this tablet even before that is stored.
    for (const one of [this.#lastUser, now])
      if (one !== null && this.#peopleSinceOpen[one.uid] !== one.email)
        this.#peopleSinceOpen = { ...this.#peopleSinceOpen, [one.uid]: one.email };
    this.#lastUser = now;
    const viewer = viewerOf(now, { ...this.#peopleSinceOpen, ...this.#storedPeople.get() });
    if (isSameSet(viewer.ownIds, this.#viewer.ownIds) && isSameSet(viewer.others, this.#viewer.others)) return;
    const isAlone = viewer.others.size === 0 && this.#viewer.others.size === 0;
    this.#viewer = viewer;
    this.#visibleSurveys.clear();
    if (!isAlone) this.changed.emit();
  }

  #surveyMembers(): ReadonlyMap<string, SurveyMembers> {
    if (this.#membersBySurvey !== undefined) return this.#membersBySurvey;
    const people = new Map<string, SurveyMembers>();
    this.#collectMembers(people, this.#opIndex.entries.values());
    this.#membersBySurvey = people;
    return people;
  }

  #collectMembers(people: Map<string, SurveyMembers>, entries: Iterable<OpIndexEntry>): void {
    for (const entry of entries) {
      const { kind, by, owner } = entry;
      const surveyId = kind === 'survey' ? entry.docId : kind === 'image' ? entry.surveyId : undefined;
      if (surveyId === undefined || !this.#isEffective(entry)) continue;
      const of = people.get(surveyId) ?? {
        owners: new Set<string>(),
        participants: new Set<string>(),
        firstAuthor: null,
      };
      people.set(surveyId, of);
      for (const uid of [by, owner]) if (uid !== null) of.participants.add(uid);
      of.firstAuthor ??= by ?? owner;
      if (kind === 'survey' && owner !== null) of.owners.add(owner);
    }
  }

  #entriesOfKey(key: string): readonly OpIndexEntry[] {
    const at = key.indexOf('/');
    return this.#opIndex.entriesOf(key.slice(0, at) as OpKind, key.slice(at + 1));
  }

  /** An operation in quarantine that no other node accepted says nothing about people. */
  #isEffective({ opId, own }: OpIndexEntry): boolean {
    if (own) return true;
    const receipts = this.#opIndex.receipts(opId);
    return receipts.length === 0 || receipts.some(({ accepted }) => accepted);
  }
}

function peopleOf({ owners: said, participants, firstAuthor }: SurveyMembers): SurveyPeople {
  return { owners: said.size > 0 || firstAuthor === null ? said : new Set([firstAuthor]), participants };
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((uid) => b.has(uid));
}
