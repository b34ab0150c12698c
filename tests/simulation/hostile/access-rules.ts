import { createPublicKey, verify } from 'node:crypto';
import type { Json, JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import { modelOf } from '../model-fold';
import type { Delivery } from './deliveries';
import { coveredText } from './identities';

/** Operation that the cloud accepted, with its author and the number of that entry. */
export interface AcceptedWrite {
  readonly op: Op;
  readonly by: string | null;
  readonly seq: number;
}

/** Facts that the cloud may know. */
export interface Facts {
  readonly hasAccount: (person: string) => boolean;
  readonly isCertified: (person: string, key: string) => boolean;
  /** True for work of honest people, exactly as they wrote it. */
  readonly isHonest: (op: Op) => boolean;
  /** Arrivals of an operation, in order. */
  readonly deliveriesOf: (op: Op) => readonly Delivery[];
}

/** Access ashore: readers (`person:…`, `node:…`) by survey or profile, and operations that no rule allows. */
export interface Access {
  readonly readers: ReadonlyMap<string, ReadonlySet<string>>;
  readonly wrong: readonly { readonly op: Op; readonly why: string }[];
}

/** Survey of an operation, or the person of a profile. */
export function subjectOf(op: Op): string {
  return op.kind === 'survey' || op.kind === 'profile' ? op.docId : textAt(op.body['survey'], 'id');
}

/** True if the key named by an operation signed it and belongs to its author (protocol, "Device keys"). */
export function isProven(op: Op, by: string | null, { isCertified }: Pick<Facts, 'isCertified'>): boolean {
  const author = op.by ?? (op.kind === 'profile' ? op.docId : undefined);
  if (op.sig === undefined || author === undefined || (by !== null && by !== author)) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: op.sig.key }, format: 'jwk' });
  return (
    verify(null, Buffer.from(coveredText(op)), key, Buffer.from(op.sig.value, 'base64url')) &&
    isCertified(author, op.sig.key)
  );
}

/** Reads "Who may write ashore" of the protocol page again, over what the cloud accepted, in its order. */
export function accessOf(writes: readonly AcceptedWrite[], facts: Facts): Access {
  const rules = new Rules(facts);
  const events = writes.flatMap((write) => [
    { at: write.seq, happen: () => rules.take(write) },
    ...facts.deliveriesOf(write.op).flatMap(({ after, node }) =>
      // Arrivals between two entries are judged before the later one.
      node === null ? [] : [{ at: Math.max(after, write.seq) + 0.5, happen: () => rules.bringAgain(write, node) }],
    ),
  ]);
  for (const { happen } of events.sort((a, b) => a.at - b.at)) happen();
  return rules;
}

class Rules implements Access {
  readonly readers = new Map<string, Set<string>>();
  readonly wrong: { op: Op; why: string }[] = [];
  /** Accepted operations of the surveys whose record is there. */
  readonly #begun = new Map<string, Op[]>();
  /** Accepted operations of analyses. */
  readonly #analyses = new Map<string, Op[]>();
  /** Surveys of which a document has writes. */
  readonly #documents = new Map<string, Set<string>>();
  /** Authors of accepted work, by the tablet whose id it has, its key and its topic. */
  readonly #tablets = new Map<string, Set<string | null>>();

  constructor(readonly facts: Facts) {}

  take(write: AcceptedWrite): void {
    const { op, by, seq } = write;
    const subject = subjectOf(op);
    const document = `${op.kind}/${op.docId}`;
    // "What waits is judged again each time it is sent again": any arrival before its acceptance may be the one.
    const good = this.facts
      .deliveriesOf(op)
      .filter((delivery) => delivery.after < seq && this.#mayWrite(write, delivery));
    if (good.length === 0 && !this.facts.isHonest(op)) this.wrong.push({ op, why: `by ${String(by)}` });
    for (const delivery of good) this.#give(write, subject, delivery);
    const there = this.#documents.get(document) ?? new Set();
    this.#documents.set(document, there.add(subject));
    if (op.kind === 'analysis') this.#analyses.set(op.docId, [...(this.#analyses.get(op.docId) ?? []), op]);
    if (op.kind === 'survey') this.#begun.set(subject, [...(this.#begun.get(subject) ?? []), op]);
    const tablet = `${deviceOf(op)} ${op.sig?.key ?? ''} ${this.#ownTopic(op)}`;
    this.#tablets.set(tablet, (this.#tablets.get(tablet) ?? new Set()).add(by));
  }

  /** "A box that brings it again gets access too, if the first box has access, or none had brought it when accepted." */
  bringAgain({ op, seq }: AcceptedWrite, node: string): void {
    if (op.kind === 'analysis') return;
    const first = this.facts
      .deliveriesOf(op)
      .find((delivery) => delivery.node !== null && delivery.after < seq && delivery.outcome === 'stored')?.node;
    const readers = this.readers.get(subjectOf(op));
    if (first === undefined || readers?.has(`node:${String(first)}`) === true) readers?.add(`node:${node}`);
  }

  #mayWrite({ op, by }: AcceptedWrite, { node, device, person }: Delivery): boolean {
    const proven = isProven(op, by, this.facts);
    if (op.kind === 'profile') {
      const isOwnSession = node === null && device === null && person === op.docId;
      return (by === null || by === op.docId) && (proven || isOwnSession || !this.facts.hasAccount(op.docId));
    }
    const isAuthorsSession = node === null && by !== null && person === by;
    const isTablets = node === null && device !== null && this.#isWithoutAccount(by);
    if (node === null && !proven && !isAuthorsSession && !isTablets) return false;
    const subject = subjectOf(op);
    const document = this.#documents.get(`${op.kind}/${op.docId}`);
    const subjects = [...new Set([subject, ...(document ?? [])])].filter((one) => this.#begun.has(one));
    // "An analysis may be added to a survey that is not private, and its owner may change it."
    const isOwners = node === null && by !== null && this.#ownerOf(op.docId) === by;
    if (op.kind === 'analysis' && (document === undefined || isOwners) && !this.#isPrivate(subject)) return true;
    return subjects.every((one) => this.#hasAccess(one, op, { by, node, device, proven }));
  }

  /** True if a survey shows that it is private: an operation writes the fields alone that `over` names ("Fold"). */
  #isPrivate(subject: string): boolean {
    return modelOf(this.#begun.get(subject) ?? []).values['private'] === 'true';
  }

  /** Owner that an analysis shows. */
  #ownerOf(analysis: string): string {
    const shown = modelOf(this.#analyses.get(analysis) ?? []).values['*'];
    return shown === undefined ? '' : textAt((JSON.parse(shown) as JsonObject)['user'], 'uid');
  }

  #hasAccess(
    subject: string,
    op: Op,
    { by, node, device, proven }: Pick<AcceptedWrite, 'by'> & Pick<Delivery, 'node' | 'device'> & { proven: boolean },
  ): boolean {
    const readers = this.readers.get(subject);
    const isWithoutAccount = this.#isWithoutAccount(by);
    // A grant is enough for people without an account if they signed the operation.
    if (by !== null && (proven || !isWithoutAccount) && readers?.has(`person:${by}`) === true) return true;
    if (node !== null && readers?.has(`node:${node}`) === true) return true;
    // On a tablet, a person with an account continues what people without one wrote there.
    if (!isWithoutAccount && (node !== null || device === null)) return false;
    const isAuthor = (one: string | null): boolean => (isWithoutAccount ? one === by : this.#isWithoutAccount(one));
    return ['', op.sig?.key ?? ''].some((key) =>
      [subject, this.#ownTopic(op)].some((topic) =>
        [...(this.#tablets.get(`${deviceOf(op)} ${key} ${topic}`) ?? [])].some(isAuthor),
      ),
    );
  }

  /** "Of analyses only the one that is written now counts." */
  #ownTopic(op: Op): string {
    return op.kind === 'analysis' ? `analysis/${op.docId}` : subjectOf(op);
  }

  #isWithoutAccount(by: string | null): boolean {
    return by === null || !this.facts.hasAccount(by);
  }

  /** Reads "An accepted operation gives access to its topic". */
  #give({ op, by }: AcceptedWrite, subject: string, { node, device, person }: Delivery): void {
    const readers = this.readers.get(subject) ?? new Set<string>();
    this.readers.set(subject, readers);
    const add = (...people: readonly (string | null)[]): void => {
      for (const one of people) if (one !== null && one !== '') readers.add(`person:${one}`);
    };
    const isWithoutAccount = this.#isWithoutAccount(by);
    const tabletOwner = device !== null && isWithoutAccount ? person : null;
    const isKnownBox = node !== null && readers.has(`node:${node}`);
    const proven = isProven(op, by, this.facts);
    const hasAuthorSigned = proven && (op.kind === 'profile' || readers.has(`person:${String(by)}`));
    const begins = op.kind === 'profile' ? !this.#documents.has(`profile/${op.docId}`) : !this.#begun.has(subject);
    if (op.kind === 'profile') add(op.docId);
    else if (node === null) {
      if (op.kind !== 'analysis') add(by, tabletOwner);
    } else if ((begins && op.kind !== 'analysis') || hasAuthorSigned || (proven && isKnownBox))
      add(by, textAt(op.body['user'], 'uid'), tabletOwner);
    else if (isKnownBox && isWithoutAccount) add(by);
    if (node !== null && op.kind !== 'analysis' && (begins || isKnownBox || hasAuthorSigned))
      readers.add(`node:${node}`);
  }
}

function deviceOf({ opId }: Op): string {
  return opId.slice(0, opId.lastIndexOf('-'));
}

function textAt(value: Json | undefined, member: string): string {
  const found = typeof value === 'object' && value !== null ? (value as JsonObject)[member] : undefined;
  return typeof found === 'string' ? found : '';
}
