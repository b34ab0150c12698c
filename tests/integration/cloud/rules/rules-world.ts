import type { Json, JsonObject } from '../../../../src/domain/json';
import type { Op, OpKind } from '../../../../src/domain/op/op';
import { canonicalJson } from '../../../../src/domain/canonical';
import type { Seeded } from '../../../support/seed';
import type { TestDeviceKey } from '../../../support/servers/device-keys';
import { signedBy } from '../../../support/servers/device-keys';
import { sha256 } from '../../../support/servers/edge-client';
import { idIn } from './model-documents';
import type { Arrival, Sender, Signing } from './rules-model';

/** Person as the generator uses them: with an account, or known aboard alone. */
export interface FuzzPerson {
  readonly uid: string;
  readonly hasAccount: boolean;
  /** Keys with which their devices sign, certified or not yet. */
  readonly keys: TestDeviceKey[];
  /** Device ids under which they write. */
  readonly devices: string[];
}

export interface FuzzTablet {
  readonly device: string;
  /** Person of the session on it; null: nobody is signed in. */
  readonly person: string | null;
}

/** People, tablets and boxes of one crew and its strangers. */
export interface Cast {
  readonly people: readonly FuzzPerson[];
  readonly tablets: FuzzTablet[];
  readonly boxes: readonly string[];
  readonly staff: string;
  /** Photographs whose bytes are stored. */
  readonly photographs: readonly { readonly sha256: string; readonly bytes: number }[];
}

/** Arrival with the topics that it may concern: two of a batch share none. */
export interface FuzzCase {
  readonly arrival: Arrival;
  /** Shows the receipt of a box that is not for this operation, or by a key that nobody knows. */
  readonly wrongReceipt?: boolean;
}

interface Doc {
  readonly kind: OpKind;
  readonly id: string;
  /** Operations that were sent for it. */
  readonly ops: Op[];
  readonly places: Set<Place>;
}

/** Survey with its records, or a profile. */
interface Place {
  readonly docs: Doc[];
  readonly sent: FuzzCase[];
  readonly home: string;
  readonly crew: readonly FuzzPerson[];
  /** Ceiling that its survey is near: conflicting values of a field, or large ones; null for none. */
  readonly excess: Excess | null;
}

type Excess = 'values' | 'chars' | 'members' | 'names';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FIELDS = ['name', 'user', 'private', 'note', 'isDeleted'] as const;
/** Arrivals after which a survey is left alone: folds stay cheap, and new surveys begin. */
const PLACE_ARRIVALS = 40;
/** Surveys near a ceiling; large ones cost too much for more. */
const EXCESS_ARRIVALS: Readonly<Record<Excess, number>> = { values: 120, chars: 16, members: 10, names: 12 };
/** Counts around the ceilings of `lc` and of its leaps. */
const GREAT_LCS = [10_000, 10_001, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1];

/** Makes arrivals of all kinds, weighted so that about half are accepted. */
export class RulesWorld {
  readonly #random: Seeded;
  readonly #cast: Cast;
  readonly #surveys: Place[] = [];
  readonly #profiles: Place[];
  readonly #history = new Map<string, string[]>();
  #count = 0;

  constructor(random: Seeded, cast: Cast, surveys: number) {
    this.#random = random;
    this.#cast = cast;
    for (let n = 0; n < surveys; n++) this.#surveys.push(this.#newSurvey());
    this.#profiles = [...cast.people.map(({ uid }) => uid), this.#id()].map((uid) => this.#place('profile', uid));
  }

  /** Arrivals of which no two concern the same topic, so that they may be judged at the same time. */
  batch(): readonly FuzzCase[] {
    for (const [n, place] of this.#surveys.entries())
      if (place.sent.length >= (place.excess === null ? PLACE_ARRIVALS : EXCESS_ARRIVALS[place.excess]))
        this.#surveys[n] = this.#newSurvey();
    const cases: FuzzCase[] = [];
    const used = new Set<Place>();
    const places = [...this.#surveys, ...this.#profiles.filter(() => this.#one(5))];
    for (const place of places) {
      if (used.has(place)) continue;
      const other = this.#random.pick(this.#surveys);
      const made = place.sent.length > 0 && this.#one(8) ? this.#again(place) : this.#fresh(place, other);
      const touched = [place, ...made.doc.places];
      // Operations that wait in one survey may belong to a document that was moved to another.
      const near = touched.flatMap(({ docs }) => docs.flatMap((doc) => [...doc.places]));
      if ([...touched, ...near].some((one) => used.has(one))) continue;
      for (const one of touched) used.add(one);
      place.sent.push(made.found);
      if (!made.doc.ops.includes(made.found.arrival.op)) made.doc.ops.push(made.found.arrival.op);
      cases.push(made.found);
    }
    return cases;
  }

  /** Earlier cases of the same document or survey, for the text of a failure. */
  historyOf({ arrival }: FuzzCase): readonly string[] {
    return placesOf(arrival.op).flatMap((id) => this.#history.get(id) ?? []);
  }

  /** Cases of the documents and surveys of these operations. */
  historyOfOps(opIds: readonly string[]): readonly string[] {
    const keys = [...this.#history].filter(([, lines]) =>
      lines.some((line) => opIds.some((opId) => line.startsWith(`{"op":"${opId}"`))),
    );
    return keys.flatMap(([key, lines]) => [`of ${key}:`, ...lines]);
  }

  /** Notes a case with its verdict. */
  note({ arrival, wrongReceipt }: FuzzCase, verdict: unknown): void {
    const { op, sender, signing, itemBy, receiptOf } = arrival;
    const text = JSON.stringify({
      op: op.opId,
      kind: op.kind,
      doc: op.docId,
      by: op.by,
      itemBy,
      lc: op.lc,
      over: op.over,
      user: op.body['user'],
      survey: op.body['survey'],
      private: op.body['private'],
      sender,
      signing,
      receiptOf,
      wrongReceipt,
      verdict,
    });
    for (const id of placesOf(op)) this.#history.set(id, [...(this.#history.get(id) ?? []), text]);
  }

  #newSurvey(): Place {
    return this.#place('survey', this.#id());
  }

  #place(kind: OpKind, id: string): Place {
    const { people, boxes } = this.#cast;
    const crew = [this.#random.pick(people), this.#random.pick(people), this.#random.pick(people)];
    const rare = kind === 'survey' ? this.#random.below(90) : 90;
    const excess = rare < 4 ? 'values' : rare < 5 ? this.#random.pick(['chars', 'members', 'names'] as const) : null;
    const place: Place = { docs: [], sent: [], home: this.#random.pick(boxes), crew, excess };
    place.docs.push({ kind, id, ops: [], places: new Set([place]) });
    return place;
  }

  /** A case of before: the same operation by another sender, or another one under its number. */
  #again(place: Place): { found: FuzzCase; doc: Doc } {
    const before = this.#random.pick(place.sent);
    const { op, signing } = before.arrival;
    const doc = place.docs.find(({ kind, id }) => kind === op.kind && id === op.docId) ?? this.#main(place);
    const author = this.#cast.people.find(({ uid }) => uid === op.by) ?? this.#random.pick(this.#cast.people);
    if (this.#one(10) && before.arrival.broken === undefined) {
      const changed = { ...op, madeAt: '2026-11-21T09:30:00.000Z' };
      return { found: this.#from(place, author, { op: changed, signing: signing === 'none' ? 'none' : 'wrong' }), doc };
    }
    const { broken } = before.arrival;
    return { found: this.#from(place, author, { op, signing, ...(broken === undefined ? {} : { broken }) }), doc };
  }

  #fresh(place: Place, other: Place): { found: FuzzCase; doc: Doc } {
    const doc = this.#docFor(place);
    const person = doc.kind === 'profile' ? this.#cast.people.find(({ uid }) => uid === doc.id) : undefined;
    const author = this.#one(4) ? this.#random.pick(this.#cast.people) : (person ?? this.#random.pick(place.crew));
    const isMove = (doc.kind === 'image' || doc.kind === 'analysis') && this.#one(15);
    if (isMove) {
      doc.places.add(other);
      if (!other.docs.includes(doc)) other.docs.push(doc);
    }
    const survey = this.#main(isMove ? other : place).id;
    const body = this.#bodyOf(doc, author, survey);
    const isFirst = doc.ops.length === 0 || this.#one(6);
    const made =
      place.excess !== null && doc.kind === 'survey' && doc.ops.length > 0
        ? this.#excessive(this.#made(doc, body, author, false), place.excess)
        : this.#made(doc, body, author, isFirst);
    const { op, broken } = this.#spoilt(made);
    const signed = broken === undefined ? this.#signed(op, author) : { op, signing: 'none' as const };
    return { found: this.#from(place, author, { ...signed, ...(broken === undefined ? {} : { broken }) }), doc };
  }

  #main(place: Place): Doc {
    return place.docs[0] as Doc;
  }

  #docFor(place: Place): Doc {
    const main = this.#main(place);
    if (main.kind === 'profile' || main.ops.length === 0 || place.excess !== null || this.#one(3)) return main;
    const kind = this.#random.pick(['image', 'analysis'] as const);
    const known = place.docs.filter((doc) => doc.kind === kind);
    if (known.length > 0 && !this.#one(3)) return this.#random.pick(known);
    const made: Doc = { kind, id: this.#id(), ops: [], places: new Set([place]) };
    place.docs.push(made);
    return made;
  }

  #bodyOf(doc: Doc, author: FuzzPerson, survey: string): JsonObject {
    const owner = this.#one(6) ? this.#random.pick(this.#cast.people).uid : author.uid;
    const claims = this.#one(4) ? { [this.#random.pick(['isExpert', 'verified', 'admin', 'staff'])]: true } : {};
    if (doc.kind === 'profile') return { uid: doc.id, name: { first: 'Ada', last: this.#id() } };
    const body: JsonObject = {
      id: doc.id,
      name: this.#id(),
      user: { uid: owner, ...(this.#one(2) ? claims : {}) },
      ...(doc.kind === 'survey' ? { private: this.#one(3) } : { survey: { id: survey } }),
      ...(doc.kind === 'analysis' ? { image: { id: this.#id() }, ...claims } : {}),
      ...(doc.kind === 'image' ? { ...this.#random.pick(this.#cast.photographs) } : {}),
      ...(this.#one(3) ? { note: this.#id() } : {}),
      isDeleted: this.#one(12),
    };
    // Most records of an image name the photograph of its first one.
    const first = doc.kind === 'image' ? doc.ops[0]?.body : undefined;
    return first === undefined || this.#one(10)
      ? body
      : { ...body, sha256: first['sha256'] ?? null, bytes: first['bytes'] ?? null };
  }

  #made(doc: Doc, body: JsonObject, author: FuzzPerson, isFirst: boolean): Op {
    const device = this.#one(8)
      ? this.#random.pick(this.#random.pick(this.#cast.people).devices)
      : this.#random.pick(author.devices);
    const fields =
      doc.kind === 'analysis' ? ['*'] : FIELDS.filter((field) => Object.hasOwn(body, field) && this.#one(2));
    const earlier = (field: string): string[] =>
      doc.ops
        .filter(({ over }) => this.#one(2) && (over === undefined || Object.hasOwn(over, field)))
        .map(({ opId }) => opId);
    this.#count += 1;
    return {
      v: 1,
      opId: `${device}-${this.#count}`,
      kind: doc.kind,
      docId: doc.id,
      ...(this.#one(7) ? {} : { by: author.uid }),
      ...(isFirst
        ? {}
        : { lc: this.#lc(doc), over: Object.fromEntries(fields.map((field) => [field, earlier(field)])) }),
      madeAt: '2026-11-20T09:30:00.000Z',
      schema: 1,
      body,
      sha256: sha256(canonicalJson(body)),
    } as unknown as Op;
  }

  /** Mostly small; sometimes at a ceiling of `lc` or of its leap, or one above. */
  #lc(doc: Doc): number {
    if (!this.#one(25)) return 1 + this.#random.below(30);
    const greatest = Math.max(0, ...doc.ops.map(({ lc = 1 }) => lc));
    const lc = this.#one(2) ? this.#random.pick(GREAT_LCS) : greatest + 10_000 + this.#random.below(2);
    return Math.min(lc, Number.MAX_SAFE_INTEGER);
  }

  /** Operation that adds to what a survey has too much of, or sometimes replaces all of it. */
  #excessive(op: Op, excess: Excess): Op {
    const earlier = excess !== 'names' && this.#one(12) ? Object.values(op.over ?? {}).flat() : [];
    const note: Json =
      excess === 'chars'
        ? 'x'.repeat(300_000 + this.#random.below(400_000))
        : excess === 'members'
          ? Object.fromEntries(Array.from({ length: 3_000 + this.#random.below(4_000) }, (_, n) => [`m${n}`, n]))
          : this.#id();
    const names =
      excess === 'names' ? Array.from({ length: 1_500 + this.#random.below(1_500) }, () => `${this.#id()}-1`) : [];
    const body = { ...op.body, note };
    return {
      ...op,
      lc: 2,
      over: { note: [...new Set([...earlier, ...names])] as never },
      body,
      sha256: sha256(canonicalJson(body)) as never,
    };
  }

  /** Now and then something is wrong with form or content. */
  #spoilt(op: Op): { op: Op; broken?: 'bad-message' | 'hash-mismatch' } {
    const change = (body: JsonObject): Op => ({ ...op, body, sha256: sha256(canonicalJson(body)) as never });
    const without = (field: string): JsonObject =>
      Object.fromEntries(Object.entries(op.body).filter(([name]) => name !== field)) as JsonObject;
    switch (this.#random.below(100)) {
      case 0:
        return { op: { ...op, schema: 99 } };
      case 1:
        return { op: { ...op, sha256: sha256('other') as never }, broken: 'hash-mismatch' };
      case 2:
        return { op: { ...op, over: { missing: [] } }, broken: 'bad-message' };
      case 3:
        return op.kind === 'profile' || op.over !== undefined ? { op } : { op: change(without('user')) };
      case 4:
        return op.kind === 'image' && op.over === undefined ? { op: change(without('sha256')) } : { op };
      case 5:
        return op.kind === 'profile' || op.kind === 'survey' || op.over !== undefined
          ? { op }
          : { op: change(without('survey')) };
      case 6:
        return op.kind === 'profile' || op.kind === 'survey'
          ? { op }
          : { op: change({ ...op.body, survey: { id: this.#id() } }) };
      default:
        return { op };
    }
  }

  #signed(op: Op, author: FuzzPerson): { op: Op; signing: Signing } {
    const kind = this.#random.below(20);
    if (kind < 9) return { op, signing: 'none' };
    const other = this.#random.pick(this.#cast.people);
    const key = this.#random.pick(kind < 16 ? author.keys : other.keys);
    const signed = signedBy(key, op);
    if (kind < 18) return { op: signed, signing: { key: key.x } };
    return { op: this.#forged(op, signed, other), signing: 'wrong' };
  }

  /** Signed operation of which one member was changed afterwards. */
  #forged(op: Op, signed: Op, other: FuzzPerson): Op {
    const body = { ...op.body, forged: true };
    const key = this.#random.pick(other.keys).x;
    switch (this.#random.below(6)) {
      case 0:
        return { ...signed, lc: op.lc === undefined || op.lc === 1 ? 2 : op.lc - 1 };
      case 1:
        return { ...signed, madeAt: '2026-11-20T09:30:00.001Z' };
      case 2:
        return { ...signed, body, sha256: sha256(canonicalJson(body)) as never };
      case 3:
        return { ...signed, extra: 1 } as never;
      case 4:
        return key === signed.sig?.key
          ? ({ ...signed, schema: 1, extra: 2 } as never)
          : { ...signed, sig: { key, value: signed.sig?.value ?? '' } };
      default: {
        const { by: _by, ...rest } = signed;
        return (op.by === undefined ? { ...signed, by: other.uid } : rest) as Op;
      }
    }
  }

  /** Delivery of an operation by somebody. */
  #from(place: Place, author: FuzzPerson, what: Pick<Arrival, 'op' | 'signing' | 'broken'>): FuzzCase {
    const isHome = place.excess !== null && !this.#one(5);
    const sender: Sender = isHome ? { kind: 'box', box: place.home } : this.#senderFor(place, author);
    const named = this.#one(3) && sender.kind !== 'person' ? { itemBy: author.uid } : {};
    const shows = sender.kind === 'tablet' || sender.kind === 'person' ? this.#random.below(16) : 16;
    if (shows === 0) return { arrival: { ...what, sender, ...named }, wrongReceipt: true };
    return { arrival: { ...what, sender, ...named, ...(shows < 3 ? { receiptOf: this.#boxFor(place) } : {}) } };
  }

  #senderFor(place: Place, author: FuzzPerson): Sender {
    const { people, tablets, staff } = this.#cast;
    const accounts = people.filter(({ hasAccount }) => hasAccount);
    const own = tablets.filter(({ person }) => person === author.uid);
    const kind = this.#random.below(20);
    if (kind < 8) return { kind: 'box', box: this.#one(30) ? null : this.#boxFor(place) };
    if (kind < 9) return { kind: 'staff', person: staff };
    if (kind < 13 && author.hasAccount) return { kind: 'person', person: author.uid };
    if (kind < 16 && own.length > 0) return { kind: 'tablet', ...this.#random.pick(own) };
    if (kind < 19 && tablets.length > 0) return { kind: 'tablet', ...this.#random.pick(tablets) };
    return { kind: 'person', person: this.#random.pick(accounts).uid };
  }

  #boxFor(place: Place): string {
    return this.#one(4) ? this.#random.pick(this.#cast.boxes) : place.home;
  }

  #one(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  #id(): string {
    let id = '';
    while (id.length < 16) id += ALPHABET[this.#random.below(ALPHABET.length)];
    return id;
  }
}

/** Document of an operation, and its survey. */
function placesOf({ docId, body }: Op): readonly string[] {
  const survey = idIn(body['survey'], 'id');
  return survey === null ? [docId] : [docId, survey];
}
