import type { OpKind } from '../../domain/op/op';
import { isObject } from '../../domain/json';
import type { TabletPeople, SurveyPeople, Viewer } from '../../domain/policy/access-policy';
import { accessToOwned, canSeeSurvey, viewerOf } from '../../domain/policy/access-policy';
import { recordOwner } from '../../domain/policy/topic-policy';
import type { ReadDoc } from '../db/read-model';
import type { ObservableValue } from '../transport/observable';
import { Emitter } from '../transport/observable';
import type { OpIndex, OpIndexEntry } from './op-index';

/** Whoever is at the tablet, as far as sight goes. */
interface CurrentUser {
  readonly uid: string;
  readonly email: string;
}

/** A survey's people as they are gathered. */
interface SurveyMembers {
  /** Whose it is, as its record said. */
  readonly owners: Set<string>;
  readonly participants: Set<string>;
  /** Who wrote of it first; it is theirs where no record of it is known that says whose. */
  firstAuthor: string | null;
}

/**
 * What whoever is at the tablet sees of what lies on it: the rule of `sight-policy.ts` over the ledger. Every query for a screen asks here. Nothing
 * is computed while one person alone used the tablet; else each survey's people are gathered once from the index in memory, no body is read.
 */
export class DocumentAccess {
  /** Somebody else is at the tablet, or a survey came to be seen, or not. */
  readonly changed = new Emitter<void>();
  #viewer: Viewer = { ownIds: new Set(), others: new Set() };
  /** By survey; undefined: not gathered yet. */
  #membersBySurvey: Map<string, SurveyMembers> | undefined;
  /** Which surveys are seen, as far as it was asked since the last change: ten thousand photographs ask for the same few. */
  readonly #visibleSurveys = new Map<string, boolean>();
  readonly #stops: readonly (() => void)[];
  #lastUser: CurrentUser | null;
  /** Who was at this tablet since it was opened, whatever of it is noted by now. */
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

  /** The ids under which whoever is at the tablet was here; empty: nobody is. */
  get ownIds(): ReadonlySet<string> {
    return this.#viewer.ownIds;
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
   * A survey of which somebody else tells.
   *
   * @param owner as they tell it; what this tablet knows of it counts as well
   */
  canSeeRemoteSurvey(surveyId: string, owner: string | null): boolean {
    if (this.#viewer.others.size === 0) return true;
    return this.#surveyMembers().has(surveyId)
      ? this.canSeeSurvey(surveyId)
      : accessToOwned(this.#viewer, owner) !== 'not';
  }

  /** Of documents of a kind those that are seen; the same list where all are. */
  filterVisible(kind: OpKind, documents: readonly ReadDoc[]): readonly ReadDoc[] {
    if (this.#viewer.others.size === 0 || documents.every((document) => this.#canSeeReadDoc(kind, document)))
      return documents;
    return documents.filter((document) => this.#canSeeReadDoc(kind, document));
  }

  /** Whether a document of the ledger is seen. */
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
    // Who was here a moment ago is one of the people of this tablet before that is noted.
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

  /** What a node keeps in quarantine, and no other took, says nothing of anybody. */
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
