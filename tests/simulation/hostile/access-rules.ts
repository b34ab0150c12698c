import { createPublicKey, verify } from 'node:crypto';
import type { Json, JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import { coveredText } from './identities';

/** Operation that the cloud accepted, and how it came. */
export interface AcceptedWrite {
  readonly op: Op;
  readonly by: string | null;
  readonly brought: { readonly device: string | null; readonly node: string | null; readonly person?: string | null };
}

/** Facts that the cloud may know. */
export interface Facts {
  readonly hasAccount: (person: string) => boolean;
  readonly isCertified: (person: string, key: string) => boolean;
  /** True for work of honest people, exactly as they wrote it. */
  readonly isHonest: (op: Op) => boolean;
  /** Boxes that brought an operation that was there already, or again after it was held. */
  readonly alsoBroughtBy: (op: Op) => readonly string[];
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

/** Reads "Device keys" of the protocol page again, over what the cloud accepted, in its order. */
export function accessOf(writes: readonly AcceptedWrite[], facts: Facts): Access {
  const rules = new Rules(facts);
  for (const write of writes) rules.take(write);
  return rules;
}

class Rules implements Access {
  readonly readers = new Map<string, Set<string>>();
  readonly wrong: { op: Op; why: string }[] = [];
  /** Surveys whose record is there. */
  readonly #begun = new Map<string, { isOpen: boolean }>();
  /** Surveys of which a document has writes. */
  readonly #documents = new Map<string, Set<string>>();
  /** Tablets, with their keys, on which people without an account wrote of a survey. */
  readonly #tablets = new Set<string>();

  constructor(readonly facts: Facts) {}

  take(write: AcceptedWrite): void {
    const { op, brought } = write;
    const subject = subjectOf(op);
    const document = `${op.kind}/${op.docId}`;
    const isAllowed = [brought.node, ...this.facts.alsoBroughtBy(op)].some((node) => this.#mayWrite(write, node));
    if (!isAllowed && !this.facts.isHonest(op)) this.wrong.push({ op, why: `by ${String(write.by)}` });
    this.#give(write, subject);
    const there = this.#documents.get(document) ?? new Set();
    this.#documents.set(document, there.add(subject));
    if (op.kind === 'survey') {
      const known = this.#begun.get(subject) ?? { isOpen: true };
      // Private from the first write that says so: the fold may show another value later.
      this.#begun.set(subject, { isOpen: known.isOpen && op.body['private'] !== true });
    }
    if (this.#isWithoutAccount(write.by)) this.#tablets.add(`${deviceOf(op)} ${op.sig?.key ?? ''} ${subject}`);
  }

  #mayWrite({ op, by, brought }: AcceptedWrite, node: string | null): boolean {
    const proven = isProven(op, by, this.facts);
    if (op.kind === 'profile') {
      const isOwnSession = node === null && brought.device === null && brought.person === op.docId;
      return (by === null || by === op.docId) && (proven || isOwnSession || !this.facts.hasAccount(op.docId));
    }
    const isAuthorsSession = node === null && by !== null && brought.person === by;
    const isTablets = node === null && brought.device !== null && (by === null || !this.facts.hasAccount(by));
    if (node === null && !proven && !isAuthorsSession && !isTablets) return false;
    const subject = subjectOf(op);
    const document = this.#documents.get(`${op.kind}/${op.docId}`);
    const subjects = [...new Set([subject, ...(document ?? [])])].filter((one) => this.#begun.has(one));
    if (op.kind === 'analysis' && document === undefined && this.#begun.get(subject)?.isOpen !== false) return true;
    return subjects.every((one) => this.#hasAccess(one, op, { by, node, device: brought.device }));
  }

  #hasAccess(
    subject: string,
    op: Op,
    { by, node, device }: { by: string | null; node: string | null; device: string | null },
  ): boolean {
    const readers = this.readers.get(subject);
    if (by !== null && readers?.has(`person:${by}`) === true) return true;
    if (node !== null && readers?.has(`node:${node}`) === true) return true;
    // Known by the tablet and its key: someone without an account, or who continues such work.
    if (node === null ? device === null : !this.#isWithoutAccount(by)) return false;
    return ['', op.sig?.key ?? ''].some((key) => this.#tablets.has(`${deviceOf(op)} ${key} ${subject}`));
  }

  #isWithoutAccount(by: string | null): boolean {
    return by === null || !this.facts.hasAccount(by);
  }

  #give({ op, by, brought: { node, device, person = null } }: AcceptedWrite, subject: string): void {
    const readers = this.readers.get(subject) ?? new Set<string>();
    this.readers.set(subject, readers);
    const add = (...people: readonly (string | null)[]): void => {
      for (const one of people) if (one !== null && one !== '') readers.add(`person:${one}`);
    };
    const nodes = [...(node === null ? [] : [node]), ...this.facts.alsoBroughtBy(op)];
    const owner = textAt(op.body['user'], 'uid');
    const isWithoutAccount = this.#isWithoutAccount(by);
    const tabletOwner = device !== null && isWithoutAccount ? person : null;
    if (op.kind === 'profile') add(op.docId);
    else if (nodes.length === 0) {
      if (op.kind !== 'analysis') add(by, tabletOwner);
      return;
    }
    const begins = op.kind !== 'profile' && op.kind !== 'analysis' && !this.#begun.has(subject);
    const isKnownBox = nodes.some((one) => readers.has(`node:${one}`));
    const isProof =
      isProven(op, by, this.facts) && (op.kind === 'profile' || isKnownBox || readers.has(`person:${by}`));
    if (begins || (isProof && op.kind !== 'profile')) add(by, owner, tabletOwner);
    else if (isKnownBox && isWithoutAccount) add(by);
    // A box reads on after its beginning, proven work, and honest work exactly as it is.
    if (op.kind !== 'analysis' && (begins || isProof || isKnownBox || node === null || this.facts.isHonest(op)))
      for (const one of nodes) readers.add(`node:${one}`);
  }
}

function deviceOf({ opId }: Op): string {
  return opId.slice(0, opId.lastIndexOf('-'));
}

function textAt(value: Json | undefined, member: string): string {
  const found = typeof value === 'object' && value !== null ? (value as JsonObject)[member] : undefined;
  return typeof found === 'string' ? found : '';
}
