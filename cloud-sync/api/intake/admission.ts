import type { PersonId } from '../../../src/domain/ids';
import { splitOpId } from '../../../src/domain/ids';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { CloudRoles } from '../../../src/domain/policy/roles';
import type { HoldCode, Topic, WriteFacts } from '../../../src/domain/policy/topic-policy';
import {
  holdCodeFor,
  accessGrantees,
  maySubmit,
  recordOwner,
  surveyIdOf,
  topicOf,
} from '../../../src/domain/policy/topic-policy';
import type { AppendStore, SubmittedBy } from '../../../src/server/ops/append-store';
import type { Receipt } from '../../../src/protocol/receipt';

/** Operation in quarantine because its author lacks access (for now). */
export interface HeldOp {
  readonly op: Op;
  readonly by: PersonId | null;
  /** See {@link waitKeyOf}. */
  readonly waitsFor: string;
  readonly submittedBy: SubmittedBy;
}

/** Any person without an account ashore. */
const NO_ACCOUNT = '*';

/** Store of held operations, with the lookups that admission needs. */
export interface HeldStore {
  hasGrant(person: string, topic: Topic): Promise<boolean>;
  /**
   * True if an accepted operation of a topic was written on this tablet by this person; null: no author,
   * {@link NO_ACCOUNT}: anyone without an account.
   */
  hasWritten(tablet: string, person: string | typeof NO_ACCOUNT | null, topic: Topic): Promise<boolean>;
  findHeld(opId: string): Promise<HeldOp | undefined>;
  listHeldFor(waitsFor: string): Promise<readonly HeldOp[]>;
  listHeld(opId: string, limit: number): Promise<readonly HeldOp[]>;
  /** Updates what a held operation waits for and its last submitter. */
  updateHeld(opId: string, waitsFor: string, brought: SubmittedBy): Promise<void>;
  /** Releases an operation from quarantine; see `release` of the store. */
  release(opId: string, sees?: readonly PersonId[]): Promise<Receipt>;
}

/** Account lookups that admission needs. */
export interface PeopleLookup {
  isAccount(uid: string): Promise<boolean>;
  /** True if the person registered the tablet with this id. */
  hasRegistered(deviceId: string, uid: string): Promise<boolean>;
  /** Current roles of a person; those of anyone for a person without an account or with a disabled one. */
  rolesOf(uid: string): Promise<CloudRoles>;
  /**
   * Grants access to the account that confirmed a person's address entered at sea. Called after a box delivered
   * something of theirs.
   */
  grantClaimsOf(uid: string): Promise<void>;
}

/** Decision on an operation: the reason to hold it, or the people it gives access to its topic. */
export type AdmissionDecision =
  { readonly hold: HoldCode; readonly waitsFor?: string } | { readonly sees: readonly PersonId[] };

export interface AdmissionOptions {
  readonly store: Pick<AppendStore, 'document'>;
  readonly held: Pick<HeldStore, 'hasGrant' | 'hasWritten'>;
  readonly people: PeopleLookup;
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
}

/** Collects the facts for the topic policy and applies it. Operations vouched for cost only a survey lookup. */
export class Admission {
  readonly #options: AdmissionOptions;

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
    if (hold === undefined) return { sees: accessGrantees(op, facts, await this.#uploadOwnerOf(op, by, brought)) };
    const waitsFor = waitKeyOf(hold, op, by);
    return waitsFor === undefined ? { hold } : { hold, waitsFor };
  }

  async surveyStatus(op: Op): Promise<WriteFacts['survey']> {
    const id = op.kind === 'survey' ? op.docId : surveyIdOf(op.body);
    if (id === null || op.kind === 'profile') return 'none';
    const survey = await this.#options.store.document('survey', id);
    if (survey !== undefined) return survey.folded.doc['private'] === true ? 'private' : 'open';
    return op.kind !== 'survey' && (await this.#options.isQuarantined('survey', id)) ? 'held' : 'none';
  }

  async #gatherFacts(
    op: Op,
    by: PersonId | null,
    { device, node, person = null, vouched: vouchedBefore = false }: SubmittedBy,
  ): Promise<WriteFacts> {
    const vouched = vouchedBefore || node !== null;
    // Without a stated author, the record's owner counts.
    const speaker = by ?? (op.kind === 'profile' ? op.docId : recordOwner(op.body));
    if (vouched)
      return {
        by,
        vouched,
        maySubmit: true,
        survey: op.kind === 'image' ? await this.surveyStatus(op) : 'none',
        takesPart: false,
        document: null,
      };
    const { store, people } = this.#options;
    const isTablet = device !== null;
    const own = speaker === person || speaker === null;
    const [survey, document, isAccount, madeKnown] = await Promise.all([
      this.surveyStatus(op),
      store.document(op.kind, op.docId),
      own ? person !== null && speaker !== null : people.isAccount(speaker),
      !own && isTablet ? people.hasRegistered(device, speaker) : false,
    ]);
    const takesPart = (topic: Topic | null): Promise<boolean> =>
      this.#hasAccess(op, topic, by, { isAccount, isTablet });
    const there =
      document === undefined ? null : topicOf({ kind: op.kind, docId: op.docId, body: document.folded.doc });
    const topic = topicOf(op);
    const [part, partThere] = await Promise.all([
      takesPart(topic),
      there === null || there === topic ? takesPart(topic) : takesPart(there),
    ]);
    return {
      by,
      vouched,
      survey,
      takesPart: part,
      maySubmit: maySubmit(speaker, {
        vouched,
        person,
        isTablet,
        hasAccount: isAccount,
        hasRegisteredTablet: madeKnown,
      }),
      document: document === undefined ? null : { takesPart: partThere, owner: recordOwner(document.folded.doc) },
    };
  }

  /**
   * True if the author has access to the topic. A person with an account needs a grant, or continues on the same tablet
   * the work of someone without one. Those without an account are known only by a public id, so they have access by the
   * tablet on which they wrote of the topic before.
   */
  async #hasAccess(
    { kind, docId, opId }: Op,
    topic: Topic | null,
    by: PersonId | null,
    { isAccount, isTablet }: { readonly isAccount: boolean; readonly isTablet: boolean },
  ): Promise<boolean> {
    if (topic === null) return false;
    const { held } = this.#options;
    const { deviceId } = splitOpId(opId);
    if (!isAccount || by === null) return held.hasWritten(deviceId, by, topic);
    if (kind === 'profile') return by === docId;
    return (await held.hasGrant(by, topic)) || (isTablet && (await held.hasWritten(deviceId, NO_ACCOUNT, topic)));
  }

  /** Owner of the tablet that delivered the work of a person without an account; null in all other cases. */
  async #uploadOwnerOf(op: Op, by: PersonId | null, { device, person = null }: SubmittedBy): Promise<PersonId | null> {
    if (device === null || person === null || by === person || op.kind === 'profile') return null;
    return by !== null && (await this.#options.people.isAccount(by)) ? null : person;
  }
}

/**
 * Key of what a held operation waits for, if that can happen without staff: a tablet registration, a grant, a survey.
 */
function waitKeyOf(hold: HoldCode, op: Op, by: PersonId | null): string | undefined {
  const topic = topicOf(op);
  switch (hold) {
    case 'bringer':
      return personKey(by ?? (op.kind === 'profile' ? op.docId : recordOwner(op.body)) ?? '');
    case 'part':
      return topic === null ? undefined : grantKey(by ?? '', topic);
    case 'owner':
    case 'survey':
      return topic === null ? undefined : surveyKey(topic);
    case 'profile':
      return undefined;
  }
}

/** Wait keys satisfied by an accepted operation. */
export function wakeKeys(op: Op, sees: readonly PersonId[]): string[] {
  const topic = topicOf(op);
  if (topic === null) return [];
  return [...sees.map((person) => grantKey(person, topic)), ...(op.kind === 'survey' ? [surveyKey(topic)] : [])];
}

/** Wait key for a person who registers a tablet. */
export function personKey(person: string): string {
  return `person ${person}`;
}

function grantKey(person: string, topic: Topic): string {
  return `part ${person} ${topic}`;
}

/** Wait key for a survey or its owner. */
export function surveyKey(topic: Topic): string {
  return `survey ${topic}`;
}
