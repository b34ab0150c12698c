import type { OpKind } from '../../domain/op/op';
import { isObject } from '../../domain/json';
import type { PeopleHere, SurveyPeople, Viewer } from '../../domain/policy/sight-policy';
import { seesOwned, seesSurvey, viewerOf } from '../../domain/policy/sight-policy';
import { ownerIn } from '../../domain/policy/topic-policy';
import type { ReadDoc } from '../db/read-model';
import type { Cell } from '../transport/signal';
import { Signal } from '../transport/signal';
import type { Ledger, LedgerEntry } from './ledger';

/** Whoever is at the tablet, as far as sight goes. */
interface At {
  readonly uid: string;
  readonly email: string;
}

/** A survey's people as they are gathered. */
interface Gathered {
  /** Whose it is, as its record said. */
  readonly said: Set<string>;
  readonly partakers: Set<string>;
  /** Who wrote of it first; it is theirs where no record of it is known that says whose. */
  first: string | null;
}

/**
 * What whoever is at the tablet sees of what lies on it: the rule of `sight-policy.ts` over the ledger. Every query for a screen asks here. Nothing
 * is computed while one person alone used the tablet; else each survey's people are gathered once from the index in memory, no body is read.
 */
export class Sight {
  /** Somebody else is at the tablet, or a survey came to be seen, or not. */
  readonly changed = new Signal<void>();
  #viewer: Viewer = { own: new Set(), others: new Set() };
  /** By survey; undefined: not gathered yet. */
  #people: Map<string, Gathered> | undefined;
  /** Which surveys are seen, as far as it was asked since the last change: ten thousand photographs ask for the same few. */
  readonly #verdicts = new Map<string, boolean>();
  readonly #stops: readonly (() => void)[];
  #last: At | null;
  /** Who was at this tablet since it was opened, whatever of it is noted by now. */
  #here: PeopleHere = {};

  readonly #ledger: Ledger;
  readonly #person: Pick<Cell<At | null>, 'get' | 'subscribe'>;
  readonly #known: Pick<Cell<PeopleHere>, 'get' | 'subscribe'>;

  constructor(
    ledger: Ledger,
    person: Pick<Cell<At | null>, 'get' | 'subscribe'>,
    known: Pick<Cell<PeopleHere>, 'get' | 'subscribe'>,
  ) {
    this.#ledger = ledger;
    this.#person = person;
    this.#known = known;
    this.#last = person.get();
    this.#look();
    this.#stops = [
      person.subscribe(() => this.#look()),
      known.subscribe(() => this.#look()),
      ledger.onChange((change) => {
        this.#verdicts.clear();
        if (this.#people === undefined) return;
        if (change.touched === 'everything') this.#people = undefined;
        else for (const key of change.keys) this.#gather(this.#people, this.#entriesOf(key));
      }),
    ];
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
  }

  /** The ids under which whoever is at the tablet was here; empty: nobody is. */
  get own(): ReadonlySet<string> {
    return this.#viewer.own;
  }

  seesSurvey(surveyId: string): boolean {
    if (this.#viewer.others.size === 0) return true;
    const before = this.#verdicts.get(surveyId);
    if (before !== undefined) return before;
    const known = this.#gathered().get(surveyId);
    const sees = known === undefined || seesSurvey(this.#viewer, peopleOf(known));
    this.#verdicts.set(surveyId, sees);
    return sees;
  }

  /**
   * A survey of which somebody else tells.
   *
   * @param owner as they tell it; what this tablet knows of it counts as well
   */
  seesToldSurvey(surveyId: string, owner: string | null): boolean {
    if (this.#viewer.others.size === 0) return true;
    return this.#gathered().has(surveyId) ? this.seesSurvey(surveyId) : seesOwned(this.#viewer, owner) !== 'not';
  }

  /** Of documents of a kind those that are seen; the same list where all are. */
  seen(kind: OpKind, documents: readonly ReadDoc[]): readonly ReadDoc[] {
    if (this.#viewer.others.size === 0 || documents.every((document) => this.#sees(kind, document))) return documents;
    return documents.filter((document) => this.#sees(kind, document));
  }

  /** Whether a document of the ledger is seen. */
  seesDocument(kind: OpKind, docId: string): boolean {
    if (this.#viewer.others.size === 0) return true;
    const entries = this.#ledger.document(kind, docId);
    const owner = entries.find((entry) => entry.owner !== null)?.owner ?? entries[0]?.by ?? null;
    return this.#allows(kind, docId, entries.find(({ surveyId }) => surveyId !== undefined)?.surveyId ?? null, owner);
  }

  #sees(kind: OpKind, { id, surveyId, doc }: ReadDoc): boolean {
    const survey = isObject(doc['survey']) && typeof doc['survey']['id'] === 'string' ? doc['survey']['id'] : null;
    return this.#allows(kind, id, surveyId === '' ? survey : surveyId, ownerIn(doc));
  }

  #allows(kind: OpKind, docId: string, surveyId: string | null, owner: string | null): boolean {
    switch (kind) {
      case 'survey':
        return this.seesSurvey(docId);
      case 'image':
        return surveyId === null ? seesOwned(this.#viewer, owner) !== 'not' : this.seesSurvey(surveyId);
      case 'analysis': {
        const whose = seesOwned(this.#viewer, owner);
        return whose === 'own' || (whose === 'shared' && (surveyId === null || this.seesSurvey(surveyId)));
      }
      case 'profile':
        return seesOwned(this.#viewer, docId) !== 'not';
    }
  }

  #look(): void {
    const now = this.#person.get();
    // Who was here a moment ago is one of the people of this tablet before that is noted.
    for (const one of [this.#last, now])
      if (one !== null && this.#here[one.uid] !== one.email) this.#here = { ...this.#here, [one.uid]: one.email };
    this.#last = now;
    const viewer = viewerOf(now, { ...this.#here, ...this.#known.get() });
    if (isSame(viewer.own, this.#viewer.own) && isSame(viewer.others, this.#viewer.others)) return;
    const isAlone = viewer.others.size === 0 && this.#viewer.others.size === 0;
    this.#viewer = viewer;
    this.#verdicts.clear();
    if (!isAlone) this.changed.emit();
  }

  #gathered(): ReadonlyMap<string, Gathered> {
    if (this.#people !== undefined) return this.#people;
    const people = new Map<string, Gathered>();
    this.#gather(people, this.#ledger.entries.values());
    this.#people = people;
    return people;
  }

  #gather(people: Map<string, Gathered>, entries: Iterable<LedgerEntry>): void {
    for (const entry of entries) {
      const { kind, by, owner } = entry;
      const surveyId = kind === 'survey' ? entry.docId : kind === 'image' ? entry.surveyId : undefined;
      if (surveyId === undefined || !this.#counts(entry)) continue;
      const of = people.get(surveyId) ?? { said: new Set<string>(), partakers: new Set<string>(), first: null };
      people.set(surveyId, of);
      for (const uid of [by, owner]) if (uid !== null) of.partakers.add(uid);
      of.first ??= by ?? owner;
      if (kind === 'survey' && owner !== null) of.said.add(owner);
    }
  }

  #entriesOf(key: string): readonly LedgerEntry[] {
    const at = key.indexOf('/');
    return this.#ledger.document(key.slice(0, at) as OpKind, key.slice(at + 1));
  }

  /** What a node keeps in quarantine, and no other took, says nothing of anybody. */
  #counts({ opId, own }: LedgerEntry): boolean {
    if (own) return true;
    const receipts = this.#ledger.receipts(opId);
    return receipts.length === 0 || receipts.some(({ accepted }) => accepted);
  }
}

function peopleOf({ said, partakers, first }: Gathered): SurveyPeople {
  return { owners: said.size > 0 || first === null ? said : new Set([first]), partakers };
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((uid) => b.has(uid));
}
