import type { PersonId } from '../../../src/domain/ids';
import { splitOpId } from '../../../src/domain/ids';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { CloudRoles } from '../../../src/domain/policy/roles';
import type { HoldCode, SignatureState, Topic, WriteFacts } from '../../../src/domain/policy/topic-policy';
import {
  boxGetsAccess,
  holdCodeFor,
  accessGrantees,
  maySubmit,
  recordOwner,
  topicOf,
} from '../../../src/domain/policy/topic-policy';
import type { AppendStore, DocumentRef, SubmittedBy } from '../../../src/server/ops/append-store';
import { hasValidSignature } from '../../../src/protocol/op-signature';
import type { Receipt, VerifySignature } from '../../../src/protocol/receipt';
import { opTexts } from '../../../src/server/ops/op-texts';
import { verifySignature } from '../../../src/server/ops/receipt-signer';
import type { Subject } from '../access/grants';

/** Operation in quarantine because its author lacks access (for now). */
export interface HeldOp {
  readonly op: Op;
  readonly by: PersonId | null;
  /** See {@link waitKeyOf}. */
  readonly waitsFor: string;
  readonly submittedBy: SubmittedBy;
}

/** Page of held operations. */
export interface HeldPage {
  readonly items: readonly HeldOp[];
  /** Beginning of the next page; null for the last. */
  readonly next: number | null;
}

/** Conditions of a release; see `releaseOp`. */
export interface ReleaseOptions {
  readonly sees?: readonly string[] | undefined;
  readonly box?: string | null | undefined;
  readonly ceilings?: 'keep' | 'ignore' | undefined;
  /** Documents that the decision takes for new. @see AppendFacts.absent */
  readonly absent?: readonly DocumentRef[] | undefined;
}

/** Any person without an account ashore. */
const NO_ACCOUNT = '*';

/** Device that wrote an operation, by the id in its `opId`, which anyone can name, and the key that signed it. */
export interface Writer {
  readonly tablet: string;
  /** Null without a signature. */
  readonly key: string | null;
}

/** Store of held operations, with the lookups that admission needs. */
export interface HeldStore {
  hasGrant(subject: Subject, topic: Topic): Promise<boolean>;
  /**
   * True if an accepted operation of a topic was written by this person under the tablet's id, and signed with its key
   * or not at all; null: no author, {@link NO_ACCOUNT}: anyone without an account. Of analyses, which anyone may add,
   * only the named one counts.
   */
  hasWritten(
    writer: Writer,
    person: string | typeof NO_ACCOUNT | null,
    topic: Topic,
    analysis: string | null,
  ): Promise<boolean>;
  findHeld(opId: string): Promise<HeldOp | undefined>;
  /** A page of what waits for a key, oldest first. @param after `next` of the page before; 0 for the first */
  listHeldFor(waitsFor: string, after: number): Promise<HeldPage>;
  listHeld(opId: string, limit: number): Promise<readonly HeldOp[]>;
  /** Updates what a held operation waits for and its last submitter. */
  updateHeld(opId: string, waitsFor: string, brought: SubmittedBy): Promise<void>;
  /** Releases an operation from quarantine; its receipt refuses if it may not be. */
  release(opId: string, how?: ReleaseOptions): Promise<Receipt>;
}

/** Account lookups that admission needs. */
export interface PeopleLookup {
  isAccount(uid: string): Promise<boolean>;
  /** True if the person registered the tablet with this id. */
  hasRegistered(deviceId: string, uid: string): Promise<boolean>;
  /** True if the key is certified for the person and not revoked. */
  isCertified(uid: string, key: string): Promise<boolean>;
  /** Current roles of a person; those of anyone for a person without an account or with a disabled one. */
  rolesOf(uid: string): Promise<CloudRoles>;
  /**
   * Grants access to the account that confirmed a person's address entered at sea. Called after a box delivered
   * something of theirs.
   */
  grantClaimsOf(uid: string): Promise<void>;
}

/**
 * Decision on an operation: the reason to hold it, or the people and the box that it gives access to its topic, and the
 * documents that it takes for new.
 */
type AdmissionDecision =
  | { readonly hold: HoldCode; readonly waitsFor?: string }
  | { readonly sees: readonly PersonId[]; readonly box: string | null; readonly absent: readonly DocumentRef[] };

interface AdmissionOptions {
  readonly store: Pick<AppendStore, 'document'>;
  readonly held: Pick<HeldStore, 'hasGrant' | 'hasWritten'>;
  readonly people: PeopleLookup;
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
  /** By default in the calling thread. */
  readonly verify?: VerifySignature | undefined;
}

/** Collects the facts for the topic policy and applies it. Operations vouched for cost only a survey lookup. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Signatures that were checked or are being checked: an operation is judged several times. */
  readonly #checks = new WeakMap<Op, Promise<boolean>>();

  constructor(parts: AdmissionOptions) {
    this.#options = parts;
  }

  /**
   * @param by person it counts for
   * @param brought how it was submitted
   */
  async decide(op: Op, by: PersonId | null, brought: SubmittedBy): Promise<AdmissionDecision> {
    const facts = await this.#gatherFacts(op, by, brought);
    const hold = holdCodeFor(op, facts);
    if (hold === undefined)
      return {
        sees: accessGrantees(op, facts, await this.#uploadOwnerOf(op, by, brought)),
        box: boxGetsAccess(op, facts) ? brought.node : null,
        absent: absentDocuments(op, facts),
      };
    const waitsFor = waitKeyOf(hold, op, by);
    return waitsFor === undefined ? { hold } : { hold, waitsFor };
  }

  async surveyStatus(op: Op): Promise<WriteFacts['survey']> {
    const id = surveyOf(op);
    if (id === null) return 'none';
    const survey = await this.#options.store.document('survey', id);
    if (survey !== undefined) return survey.folded.doc['private'] === true ? 'private' : 'open';
    return op.kind !== 'survey' && (await this.#options.isQuarantined('survey', id)) ? 'held' : 'none';
  }

  /** Begins to check the signature of an operation, while its other facts are looked up. */
  checkSignature(op: Op): Promise<boolean> {
    const known = this.#checks.get(op);
    if (known !== undefined) return known;
    const { verify = verifySignature } = this.#options;
    const check = hasValidSignature(op, verify, opTexts(op).signed);
    // An error reaches those who ask for the outcome.
    check.catch(() => undefined);
    this.#checks.set(op, check);
    return check;
  }

  /** Checks the signature of an operation, and whether its key is the author's. */
  async signatureOf(op: Op, by: PersonId | null): Promise<SignatureState> {
    if (op.sig === undefined) return 'none';
    const author = op.by ?? (op.kind === 'profile' ? op.docId : null);
    const isStranger = author === null || (by !== null && by !== author);
    const [isValid, isCertified] = await Promise.all([
      this.checkSignature(op),
      !isStranger && this.#options.people.isCertified(author, op.sig.key),
    ]);
    return !isValid ? 'wrong' : isCertified ? 'author' : 'stranger';
  }

  async #gatherFacts(
    op: Op,
    by: PersonId | null,
    { device, node, person = null, vouched: vouchedBefore = false }: SubmittedBy,
  ): Promise<WriteFacts> {
    const { store, people } = this.#options;
    const vouched = vouchedBefore || node !== null;
    // Without a stated author, the record's owner counts.
    const speaker = by ?? (op.kind === 'profile' ? op.docId : recordOwner(op.body));
    const isTablet = device !== null;
    const isOwn = speaker === person || speaker === null;
    const [signature, survey, document, hasAccount, hasRegisteredTablet] = await Promise.all([
      this.signatureOf(op, by),
      this.surveyStatus(op),
      store.document(op.kind, op.docId),
      isOwn && !vouched ? person !== null && speaker !== null : speaker !== null && people.isAccount(speaker),
      !isOwn && isTablet && !vouched ? people.hasRegistered(device, speaker) : false,
    ]);
    const topic = topicOf(op);
    // A part that arrived before the first operation names no survey, and belongs to nobody else.
    const topicThere =
      (document === undefined ? null : topicOf({ kind: op.kind, docId: op.docId, body: document.folded.doc })) ?? topic;
    const inBoth = async (takesPart: (topic: Topic | null) => Promise<boolean>): Promise<[boolean, boolean]> => {
      const part = await takesPart(topic);
      return [part, topicThere === topic ? part : await takesPart(topicThere)];
    };
    const [[takesPart, takesPartThere], boxTakesPart] = await Promise.all([
      inBoth((topic) =>
        this.#hasAccess(op, topic, by, {
          isAccount: hasAccount,
          isTablet: isTablet && !vouched,
          isSigned: signature === 'author',
        }),
      ),
      node === null ? [false, false] : inBoth((topic) => this.#boxHasAccess(node, topic)),
    ]);
    return {
      by,
      signature,
      hasAccount,
      isOwnSession: person !== null && person === speaker && !isTablet && node === null,
      vouched,
      byStaff: vouched && node === null,
      boxTakesPart: boxTakesPart.every(Boolean),
      survey,
      takesPart,
      maySubmit: maySubmit(speaker, { vouched, signature, person, isTablet, hasAccount, hasRegisteredTablet }),
      document: document === undefined ? null : { takesPart: takesPartThere, owner: recordOwner(document.folded.doc) },
    };
  }

  async #boxHasAccess(node: string, topic: Topic | null): Promise<boolean> {
    return topic !== null && this.#options.held.hasGrant(`node:${node}`, topic);
  }

  /**
   * True if the author has access to the topic. A person with an account needs a grant, or continues on the same tablet
   * the work of someone without one. Those without an account are known by their own signature; without it only by a
   * public id, so they have access by the tablet on which they wrote of the topic before, and its key.
   */
  async #hasAccess(
    { kind, docId, opId, sig }: Op,
    topic: Topic | null,
    by: PersonId | null,
    {
      isAccount,
      isTablet,
      isSigned,
    }: { readonly isAccount: boolean; readonly isTablet: boolean; readonly isSigned: boolean },
  ): Promise<boolean> {
    if (topic === null) return false;
    const { held } = this.#options;
    const writer = { tablet: splitOpId(opId).deviceId, key: sig?.key ?? null };
    const hasWritten = (person: string | null): Promise<boolean> =>
      held.hasWritten(writer, person, topic, kind === 'analysis' ? docId : null);
    if (!isAccount || by === null)
      return (isSigned && by !== null && (await held.hasGrant(`person:${by}`, topic))) || hasWritten(by);
    if (kind === 'profile') return by === docId;
    return (await held.hasGrant(`person:${by}`, topic)) || (isTablet && (await hasWritten(NO_ACCOUNT)));
  }

  /** Owner of the tablet that delivered the work of a person without an account; null in all other cases. */
  async #uploadOwnerOf(op: Op, by: PersonId | null, { device, person = null }: SubmittedBy): Promise<PersonId | null> {
    if (device === null || person === null || by === person || op.kind === 'profile') return null;
    return by !== null && (await this.#options.people.isAccount(by)) ? null : person;
  }
}

/** Survey of an operation; null if it names none. */
function surveyOf(op: Op): string | null {
  return op.kind === 'profile' ? null : topicOf(op);
}

/** Its document and survey, if they do not exist yet. */
function absentDocuments(op: Op, { document, survey }: WriteFacts): readonly DocumentRef[] {
  const absent: DocumentRef[] = document === null ? [{ kind: op.kind, docId: op.docId }] : [];
  const id = surveyOf(op);
  if (survey === 'none' && id !== null) absent.push({ kind: 'survey', docId: id });
  return absent;
}

/**
 * Key of what a held operation waits for, if that can happen without staff: a tablet registration, a grant, a survey.
 */
function waitKeyOf(hold: HoldCode, op: Op, by: PersonId | null): string | undefined {
  const topic = topicOf(op);
  switch (hold) {
    case 'bringer':
    case 'unsigned':
      return personKey(by ?? (op.kind === 'profile' ? op.docId : recordOwner(op.body)) ?? '');
    case 'part':
    case 'foreign':
      return topic === null ? undefined : grantKey(by ?? '', topic);
    case 'owner':
    case 'survey':
      return topic === null ? undefined : surveyKey(topic);
    case 'profile':
    case 'signature':
      return undefined;
  }
}

/** Wait keys satisfied by an accepted operation. */
export function wakeKeys(op: Op, sees: readonly PersonId[]): string[] {
  const topic = topicOf(op);
  if (topic === null) return [];
  return [...sees.map((person) => grantKey(person, topic)), ...(op.kind === 'survey' ? [surveyKey(topic)] : [])];
}

/** Wait key for a person who registers a tablet or signs in on one. */
export function personKey(person: string): string {
  return `person ${person}`;
}

function grantKey(person: string, topic: Topic): string {
  return `part ${person} ${topic}`;
}

/** Wait key for a survey or its owner. */
function surveyKey(topic: Topic): string {
  return `survey ${topic}`;
}
