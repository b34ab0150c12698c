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

/** An operation that is kept in quarantine because its writer may not (yet). */
export interface HeldOp {
  readonly op: Op;
  /** Who it counts for. */
  readonly by: PersonId | null;
  /** See {@link waitKeyOf}. */
  readonly waitsFor: string;
  readonly submittedBy: SubmittedBy;
}

/** Whoever has no account ashore. */
export const NO_ACCOUNT = '*';

/** What the judgement of operations asks of the store, and what it keeps there. */
export interface HeldStore {
  /** Whether a person has a grant for a topic. */
  hasGrant(person: string, topic: Topic): Promise<boolean>;
  /** Whether something accepted of a topic was written on this tablet by this person; null: nobody says who; {@link NO_ACCOUNT}: anybody without an account. */
  hasWritten(tablet: string, person: string | typeof NO_ACCOUNT | null, topic: Topic): Promise<boolean>;
  findHeld(opId: string): Promise<HeldOp | undefined>;
  listHeldFor(waitsFor: string): Promise<readonly HeldOp[]>;
  /** All of it, in pages by operation id. */
  listHeld(opId: string, limit: number): Promise<readonly HeldOp[]>;
  /** Notes what a held operation waits for now, and who brought it last. */
  updateHeld(opId: string, waitsFor: string, brought: SubmittedBy): Promise<void>;
  /** Takes an operation out of quarantine; see `release` of the store. */
  release(opId: string, sees?: readonly PersonId[]): Promise<Receipt>;
}

/** What the judgement asks of the accounts. */
export interface PeopleLookup {
  /** Whether an id is that of an account. */
  isAccount(uid: string): Promise<boolean>;
  /** Whether a person made the tablet known that the cloud knows under this id. */
  hasRegistered(deviceId: string, uid: string): Promise<boolean>;
  /** What a person is now; of whoever has no account, and of one that was disabled, those of anyone. */
  rolesOf(uid: string): Promise<CloudRoles>;
  /** Something of a person came from a box: whoever proved the address ashore that they gave at sea is let see it. */
  grantClaimsOf(uid: string): Promise<void>;
}

/** What is judged of an operation: why it is set aside, or whom it lets see its topic. */
export type AdmissionDecision =
  { readonly hold: HoldCode; readonly waitsFor?: string } | { readonly sees: readonly PersonId[] };

export interface AdmissionOptions {
  readonly store: Pick<AppendStore, 'document'>;
  readonly held: Pick<HeldStore, 'hasGrant' | 'hasWritten'>;
  readonly people: PeopleLookup;
  /** True where operations of a document are in quarantine. */
  readonly isQuarantined: (kind: OpKind, docId: string) => Promise<boolean>;
}

/** Gathers what the policy of topics asks, and asks it. What a box or staff vouch for costs no look-up but its survey's. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(parts: AdmissionOptions) {
    this.#options = parts;
  }

  /**
   * @param by who it counts for
   * @param brought on which way it came
   */
  async decide(op: Op, by: PersonId | null, brought: SubmittedBy): Promise<AdmissionDecision> {
    const facts = await this.#gatherFacts(op, by, brought);
    const hold = holdCodeFor(op, facts);
    if (hold === undefined) return { sees: accessGrantees(op, facts, await this.#uploadOwnerOf(op, by, brought)) };
    const waitsFor = waitKeyOf(hold, op, by);
    return waitsFor === undefined ? { hold } : { hold, waitsFor };
  }

  /** The survey of an operation's topic, as far as the cloud knows it; `none` also where it names none. */
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
    // Where nobody says who wrote it, the record says whose it is.
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
   * Somebody with an account takes part where they have a grant, and where they go on, on the same tablet, with what was written there
   * by somebody unknown ashore: at sea they had no account. Of those unknown there is an id alone, which stands in what they
   * wrote: they take part by the tablet on which they wrote of the topic before.
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

  /** Whose tablet brought what somebody wrote whom the cloud does not know; null in all other cases. */
  async #uploadOwnerOf(op: Op, by: PersonId | null, { device, person = null }: SubmittedBy): Promise<PersonId | null> {
    if (device === null || person === null || by === person || op.kind === 'profile') return null;
    return by !== null && (await this.#options.people.isAccount(by)) ? null : person;
  }
}

/** What a held operation waits for, where that may come by itself: a person who makes a tablet known, a grant, a survey. */
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

/** What waits for what an accepted operation brought. */
export function wakeKeys(op: Op, sees: readonly PersonId[]): string[] {
  const topic = topicOf(op);
  if (topic === null) return [];
  return [...sees.map((person) => grantKey(person, topic)), ...(op.kind === 'survey' ? [surveyKey(topic)] : [])];
}

/** What waits for a person to make a tablet known. */
export function personKey(person: string): string {
  return `person ${person}`;
}

function grantKey(person: string, topic: Topic): string {
  return `part ${person} ${topic}`;
}

/** What waits for a survey, or for whose it is. */
export function surveyKey(topic: Topic): string {
  return `survey ${topic}`;
}
