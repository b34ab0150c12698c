import type { Op } from '../../../../src/domain/op/op';
import { idIn, ModelDocuments, objectOf, topicOf } from './model-documents';

/** Reason why an operation is held (protocol, "Who may write ashore"). */
export type Reason =
  'content' | 'signature' | 'profile' | 'unsigned' | 'bringer' | 'part' | 'owner' | 'survey' | 'foreign' | 'ceiling';

/** Sender of an operation, as the server knows it from its credential. */
export type Sender =
  | { readonly kind: 'person'; readonly person: string }
  | { readonly kind: 'staff'; readonly person: string }
  | { readonly kind: 'tablet'; readonly device: string; readonly person: string | null }
  /** `box` null: it has not named itself. */
  | { readonly kind: 'box'; readonly box: string | null };

/** Signing by the writer of an operation: the truth, not what the operation says. */
export type Signing = 'none' | 'wrong' | { readonly key: string };

export interface Arrival {
  readonly op: Op;
  readonly signing: Signing;
  readonly sender: Sender;
  /** Author that the item names beside the operation. */
  readonly itemBy?: string;
  /** Box whose genuine receipt for exactly this operation is shown. */
  readonly receiptOf?: string;
  /** Fault of its form, if any. */
  readonly broken?: 'bad-message' | 'hash-mismatch';
}

export type Verdict = { readonly accepted: true } | { readonly held: Reason } | { readonly refused: string };

/** Outcome of an event: what it says of the operation, and which held ones are accepted now. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly released: readonly string[];
}

interface Bringer {
  readonly device: string | null;
  readonly box: string | null;
  readonly person: string | null;
  readonly vouched: boolean;
}

interface Known {
  readonly op: Op;
  readonly text: string;
  readonly signing: Signing;
  readonly by: string | null;
  readonly order: number;
  /** First box that brought it. */
  firstBox: string | null;
  bringer: Bringer;
  accepted: boolean;
  /** Event that it waits for; null: staff alone. */
  waits: string | null;
  /** Reason of the hold at its arrival. */
  reason: Reason | null;
  /** Claimed roles that its author had when it arrived. */
  readonly roles: readonly string[];
}

/** `box`: box that gains access. */
type Judgement =
  | { readonly reason: Reason; readonly waits: string | null }
  | { readonly gain: ReadonlySet<string>; readonly box: string | null };

/**
 * Rules of `docs/protocol.md` for writing ashore ("Device keys", "Who may write ashore", "Receipts and keys"), read from
 * the page and written without the production's policy: slow, in memory, one event after the other.
 */
export class RulesModel {
  readonly documents = new ModelDocuments();
  readonly #accounts = new Set<string>();
  readonly #roles = new Map<string, ReadonlySet<string>>();
  readonly #certified = new Set<string>();
  /** Tablet of a device id, and who registered it under which device ids. */
  readonly #tabletOf = new Map<string, string>();
  readonly #registered = new Map<string, Set<string>>();
  /** `person:` or `node:` with the topics that they have access to. */
  readonly grants = new Map<string, Set<string>>();
  readonly #known = new Map<string, Known>();
  /** Held operations by what they wait for. */
  readonly #waiting = new Map<string, Set<Known>>();
  #arrivals = 0;

  addAccount(uid: string, roles: readonly string[] = []): void {
    this.#accounts.add(uid);
    this.#roles.set(uid, new Set(roles));
  }

  /** A session of the person proved the key; what waits for that person is judged again. */
  certify(uid: string, key: string): readonly string[] {
    this.#certified.add(`${uid} ${key}`);
    return this.#wake([`person ${uid}`]);
  }

  revokeKey(uid: string, key: string): void {
    this.#certified.delete(`${uid} ${key}`);
  }

  /** The person registered a tablet; `tablet` names the device that several ids may belong to. */
  register(uid: string, device: string, tablet: string): readonly string[] {
    this.#tabletOf.set(device, tablet);
    const people = this.#registered.get(tablet) ?? new Set();
    this.#registered.set(tablet, people.add(`${uid} ${device}`));
    return this.#wake([`person ${uid}`]);
  }

  /** The person revoked their registration of a tablet. */
  unregister(uid: string, device: string): void {
    this.#registered.get(this.#tabletOf.get(device) ?? '')?.delete(`${uid} ${device}`);
  }

  /** Roles that a stored operation claims and that count. */
  confirmedRoles(opId: string): readonly string[] {
    return this.#known.get(opId)?.roles ?? [];
  }

  #rolesOf({ op, signing }: Arrival, by: string | null): readonly string[] {
    if (op.kind === 'profile' || by === null || !this.#isAuthors(op, signing, by)) return [];
    const user = objectOf(op.body['user']) ?? {};
    return ['isExpert', 'verified', 'admin', 'staff'].filter(
      (role) => (op.body[role] === true || user[role] === true) && this.#roles.get(by)?.has(role) === true,
    );
  }

  /** Author of an arrival; null if nobody is known. */
  authorOf({ op, sender, itemBy }: Arrival): string | null {
    if (op.by !== undefined) return op.by;
    if (itemBy !== undefined && (sender.kind === 'tablet' || sender.kind === 'box')) return itemBy;
    return sender.kind === 'box' ? null : sender.person;
  }

  isKnown(opId: string): boolean {
    return this.#known.has(opId);
  }

  arrive(arrival: Arrival): Outcome {
    const { op } = arrival;
    if (arrival.broken === 'bad-message') return none({ refused: arrival.broken });
    if (arrival.sender.kind === 'box' && arrival.sender.box === null) return none({ refused: 'forbidden' });
    const text = JSON.stringify(op);
    const bringer = bringerOf(arrival);
    const known = this.#known.get(op.opId);
    if (known !== undefined)
      return known.text === text ? this.#arriveAgain(known, bringer) : none({ refused: 'receipt-mismatch' });
    const problem = arrival.broken ?? this.#linkProblem(op, bringer);
    if (problem !== undefined) return none({ refused: problem });
    const by = this.authorOf(arrival);
    const made: Known = {
      op,
      text,
      signing: arrival.signing,
      by,
      order: this.#arrivals++,
      firstBox: bringer.box,
      bringer,
      accepted: false,
      waits: null,
      reason: null,
      roles: this.#rolesOf(arrival, by),
    };
    const judged = this.#judge(made, bringer);
    const content = this.documents.contentProblem(op);
    this.#known.set(op.opId, made);
    const isTooMuch = !content && !('reason' in judged) && this.documents.breaksCeiling(op);
    made.reason = content ? 'content' : 'reason' in judged ? judged.reason : isTooMuch ? 'ceiling' : null;
    if (made.reason !== null || 'reason' in judged) {
      if (!content && 'reason' in judged) this.#hold(made, judged.waits);
      this.documents.hold(op);
      return none({ held: made.reason ?? 'content' });
    }
    const wakes = this.#accept(made, judged.box, judged.gain);
    return { verdict: { accepted: true }, released: this.#wake(wakes) };
  }

  /** Staff release a held operation: its author and its record's owner gain access. */
  release(opId: string): readonly string[] {
    const known = this.#known.get(opId);
    if (known === undefined || known.accepted) return [];
    const wakes = this.#accept(known, known.firstBox, peopleOf(known.op, known.by, null));
    return [opId, ...this.#wake(wakes)];
  }

  /** Operations that are held. */
  held(): readonly string[] {
    return [...this.#known.values()].filter(({ accepted }) => !accepted).map(({ op }) => op.opId);
  }

  #arriveAgain(known: Known, bringer: Bringer): Outcome {
    let wakes: readonly string[] | undefined;
    if (!known.accepted && known.waits !== null) {
      const vouchedNow = bringer.vouched && !known.bringer.vouched;
      if (vouchedNow) known.bringer = bringer;
      wakes = this.#judgeAgain(known, bringer, vouchedNow);
    }
    if (!known.accepted) return none({ held: known.reason ?? 'content' });
    // The box that shows it knows the survey, unless a box brought it that has no access.
    const { firstBox } = known;
    if (firstBox === null || this.#boxHas(firstBox, topicOf(known.op))) this.#grantBox(known.op, bringer.box);
    return { verdict: { accepted: true }, released: this.#wake(wakes ?? []) };
  }

  /** Judges what waits for these, and what waits for those in turn. */
  #wake(keys: readonly string[]): readonly string[] {
    const released: string[] = [];
    for (let waking = keys; waking.length > 0;) {
      const due = waking.flatMap((key) => [...(this.#waiting.get(key) ?? [])].sort((a, b) => a.order - b.order));
      const next: string[] = [];
      for (const known of due) {
        const wakes = known.accepted ? undefined : this.#judgeAgain(known, known.bringer, true);
        if (wakes === undefined) continue;
        released.push(known.op.opId);
        next.push(...wakes);
      }
      waking = next;
    }
    return released;
  }

  /** @returns what it wakes if it is accepted now */
  #judgeAgain(known: Known, bringer: Bringer, keeps: boolean): readonly string[] | undefined {
    const judged = this.#judge(known, bringer);
    if ('reason' in judged) {
      if (keeps && judged.waits !== null) this.#hold(known, judged.waits);
      return undefined;
    }
    if (this.documents.contentProblem(known.op)) return undefined;
    if (this.documents.breaksCeiling(known.op)) {
      // From now on staff alone release it.
      this.#hold(known, null);
      known.reason = 'ceiling';
      return undefined;
    }
    return this.#accept(known, judged.box, judged.gain);
  }

  #hold(known: Known, waits: string | null): void {
    if (known.waits !== null) this.#waiting.get(known.waits)?.delete(known);
    known.waits = waits;
    if (waits !== null) this.#waiting.set(waits, (this.#waiting.get(waits) ?? new Set()).add(known));
  }

  /** @returns what it wakes */
  #accept(known: Known, box: string | null, gain: ReadonlySet<string>): readonly string[] {
    const { op } = known;
    this.#hold(known, null);
    known.accepted = true;
    known.firstBox ??= known.bringer.box;
    // A profile is by its person, unless it was held: then it stays by the one who sent it.
    this.documents.accept(op, op.kind === 'profile' && known.reason === null ? op.docId : known.by);
    const topic = topicOf(op);
    if (topic === null) return [];
    for (const person of gain) this.#grant(`person:${person}`, topic);
    this.#grantBox(op, box);
    return [
      ...[...gain].map((person) => `access ${person} ${topic}`),
      ...(op.kind === 'survey' ? [`survey ${topic}`] : []),
    ];
  }

  #grantBox(op: Op, box: string | null): void {
    const topic = topicOf(op);
    if (box !== null && topic !== null && op.kind !== 'analysis') this.#grant(`node:${box}`, topic);
  }

  #grant(subject: string, topic: string): void {
    this.grants.set(subject, (this.grants.get(subject) ?? new Set()).add(topic));
  }

  /** Links to what must be there: nothing is stored of an operation that lacks them. */
  #linkProblem(op: Op, { vouched }: Bringer): string | undefined {
    if (op.kind === 'survey') {
      const uid = objectOf(op.body['user'])?.['uid'];
      return typeof uid === 'string' && uid !== '' ? undefined : 'unlinked-survey';
    }
    const survey = idIn(op.body['survey'], 'id');
    if (op.kind === 'profile' || survey === null) return undefined;
    if (op.kind === 'image' && !this.documents.namesPhotograph(op)) return undefined;
    if (op.kind === 'analysis' && vouched) return undefined;
    return this.#statusOf(survey) === 'none' ? 'unknown-survey' : undefined;
  }

  #statusOf(survey: string): 'none' | 'held' | 'open' | 'private' {
    const status = this.documents.statusOf('survey', survey);
    if (status !== 'there') return status;
    return this.documents.value('survey', survey, 'private') === true ? 'private' : 'open';
  }

  /** True if the signature is its author's: right, by a key certified for the author whom the operation itself names. */
  #isAuthors(op: Op, signing: Signing, by: string | null): boolean {
    if (typeof signing === 'string') return false;
    const named = op.by ?? (op.kind === 'profile' ? op.docId : null);
    return named !== null && (by === null || by === named) && this.#certified.has(`${named} ${signing.key}`);
  }

  #judge({ op, signing, by }: Known, bringer: Bringer): Judgement {
    const { device, box, person, vouched } = bringer;
    const topic = topicOf(op);
    if (signing === 'wrong') return { reason: 'signature', waits: null };
    const isSigned = this.#isAuthors(op, signing, by);
    // Without a known author, the record speaks for its owner.
    const speaker = by ?? (op.kind === 'profile' ? op.docId : ownerOf(op));
    const hasAccount = speaker !== null && this.#accounts.has(speaker);
    const maySpeak =
      vouched ||
      isSigned ||
      speaker === person ||
      (device !== null && (speaker === null || !hasAccount || this.#hasRegistered(device, speaker)));
    const byStaff = vouched && box === null;
    const waitsForPerson = `person ${speaker ?? ''}`;
    const waitsForAccess = topic === null ? null : `access ${by ?? ''} ${topic}`;
    const access = (of: string | null): boolean =>
      this.#hasAccess(op, of, by, { hasAccount, isSigned, continues: device !== null && !vouched });

    if (op.kind === 'profile') {
      const isOwnSession = person !== null && person === speaker && device === null && box === null;
      if (by !== null && by !== op.docId) return { reason: 'profile', waits: null };
      if (hasAccount && !isSigned && !isOwnSession && !byStaff) return { reason: 'unsigned', waits: waitsForPerson };
      if (!maySpeak) return { reason: 'bringer', waits: waitsForPerson };
      const isThere = this.documents.statusOf('profile', op.docId) === 'there';
      if (!vouched && isThere && !access(topic)) return { reason: 'part', waits: waitsForAccess };
      return { gain: new Set([op.docId]), box: !isThere || isSigned || this.#boxHas(box ?? '', topic) ? box : null };
    }

    const status = topic === null ? 'none' : this.#statusOf(topic);
    const survey = op.kind === 'survey' && status === 'held' ? 'none' : status;
    const waitsForSurvey = topic === null ? null : `survey ${topic}`;
    if (op.kind === 'image' && survey === 'held') return { reason: 'survey', waits: waitsForSurvey };
    const isThere = this.documents.statusOf(op.kind, op.docId) === 'there';
    // A part that came first names no survey: it belongs to that of the operation.
    const topicThere = (isThere ? this.documents.topicOf(op.kind, op.docId) : null) ?? topic;
    const ownerThere = isThere ? this.documents.owner(op.kind, op.docId) : null;
    const adds = op.kind === 'analysis' && survey === 'open';
    const [here, there] = [access(topic), !isThere || access(topicThere)];
    const boxHas = box !== null && this.#boxHas(box, topic) && (!isThere || this.#boxHas(box, topicThere));
    const tabletOwner = device === null || person === by || hasAuthorAccount(by, this.#accounts) ? null : person;

    if (vouched) {
      const isAllowed = byStaff || boxHas || (there && (survey === 'none' || here || (adds && !isThere)));
      if (!isAllowed) return { reason: 'foreign', waits: waitsForAccess };
      const begins = survey === 'none' && op.kind !== 'analysis';
      const gainsBox = survey === 'none' || boxHas || (isSigned && here) ? box : null;
      if (begins || byStaff || (isSigned && (boxHas || here)))
        return { gain: peopleOf(op, by, tabletOwner), box: gainsBox };
      return { gain: new Set(boxHas && !hasAccount && by !== null ? [by] : []), box: gainsBox };
    }
    if (!maySpeak) return { reason: 'bringer', waits: waitsForPerson };
    const owner = ownerOf(op);
    const gain = new Set(op.kind === 'analysis' ? [] : [by, tabletOwner].filter((one) => one !== null));
    if (op.kind === 'survey' && survey === 'none')
      return by === null || owner === by ? { gain, box: null } : { reason: 'owner', waits: waitsForSurvey };
    if (!here && !adds) return { reason: 'part', waits: waitsForAccess };
    const isOwnAnalysis = op.kind === 'analysis' && by !== null && ownerThere === by;
    if (!there && !isOwnAnalysis) return { reason: 'part', waits: waitsForAccess };
    const setsOwner = op.over === undefined || op.kind === 'analysis' || Object.hasOwn(op.over, 'user');
    if (setsOwner && by !== null && owner !== null && owner !== by && owner !== ownerThere)
      return { reason: 'owner', waits: waitsForSurvey };
    return { gain, box: null };
  }

  /** Access of the author to a topic. */
  #hasAccess(
    op: Op,
    topic: string | null,
    by: string | null,
    {
      hasAccount,
      isSigned,
      continues,
    }: { readonly hasAccount: boolean; readonly isSigned: boolean; readonly continues: boolean },
  ): boolean {
    if (topic === null) return false;
    const device = deviceOf(op.opId);
    const hasGrant = this.grants.get(`person:${by ?? ''}`)?.has(topic) === true;
    if (by === null || !hasAccount)
      return (isSigned && hasGrant) || this.documents.wrote(topic, op, device, (author) => author === by);
    if (op.kind === 'profile') return by === op.docId;
    if (hasGrant) return true;
    const isUnknown = (author: string | null): boolean => author === null || !this.#accounts.has(author);
    return continues && this.documents.wrote(topic, op, device, isUnknown);
  }

  #boxHas(box: string, topic: string | null): boolean {
    return topic !== null && this.grants.get(`node:${box}`)?.has(topic) === true;
  }

  /** Denies a revoked device id, also for others who registered the same tablet. */
  #hasRegistered(device: string, uid: string): boolean {
    const registrations = [...(this.#registered.get(this.#tabletOf.get(device) ?? '') ?? [])];
    const isInForce = registrations.some((registration) => registration.endsWith(` ${device}`));
    return isInForce && registrations.some((registration) => registration.startsWith(`${uid} `));
  }
}

function none(verdict: Verdict): Outcome {
  return { verdict, released: [] };
}

function hasAuthorAccount(by: string | null, accounts: ReadonlySet<string>): boolean {
  return by !== null && accounts.has(by);
}

/** Box or staff vouch for what they bring; so does a box whose receipt is shown. */
function bringerOf({ sender, receiptOf }: Arrival): Bringer {
  const box = (sender.kind === 'box' ? sender.box : null) ?? receiptOf ?? null;
  return {
    device: sender.kind === 'tablet' ? sender.device : null,
    box,
    person: sender.kind === 'box' ? null : sender.person,
    vouched: box !== null || sender.kind === 'staff',
  };
}

/** Author, owner that the record names, and owner of the tablet. */
function peopleOf(op: Op, by: string | null, tabletOwner: string | null): ReadonlySet<string> {
  if (op.kind === 'profile') return new Set([op.docId]);
  return new Set([by, ownerOf(op), tabletOwner].filter((one) => one !== null));
}

function deviceOf(opId: string): string {
  return opId.slice(0, opId.lastIndexOf('-'));
}

function ownerOf({ body }: Op): string | null {
  return idIn(body['user'], 'uid');
}
