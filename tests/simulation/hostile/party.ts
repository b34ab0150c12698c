import type { Submitter } from '../../../cloud-sync/api/intake/cloud-intake';
import type { PersonId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { CloudRoles } from '../../../src/domain/policy/roles';
import { rolesOfPerson } from '../../../src/domain/policy/roles';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { PublicKey, Receipt } from '../../../src/protocol/receipt';
import type { Seeded } from '../../support/seed';
import { seeded } from '../../support/seed';
import { Violation, keyOf } from '../oracle';
import type { World } from '../world';
import { Aboard } from './aboard';
import type { Access } from './access-rules';
import { accessOf, subjectOf } from './access-rules';
import type { Side } from './ashore';
import { Ashore, subjectsOf } from './ashore';
import type { Delivery } from './deliveries';
import { Deliveries, isReceiptFor } from './deliveries';
import { acceptedWrites, factsOf } from './facts';
import { FORGERIES, Forger } from './forgery';
import { hostileReceiptKeys, shownReceipt } from './forged-receipts';
import { EXPERT, HOSTILE_BOX, HOSTILE_PERSON, HOSTILE_TABLET, partyKey } from './identities';
import { marksIn, withMark } from './privacy';

/** Hostile tablet and hostile box that share what they know. */
export class HostileParty {
  readonly random: Seeded;
  /** Operations of the party, by what a reissue preserves. */
  readonly #made = new Set<string>();
  /** All that anyone sent ashore. */
  readonly deliveries = new Deliveries();
  /** Names of operations that a side submitted itself, and may get back. */
  readonly #submitted = new Set<string>();
  readonly #known = new Map<string, Op>();
  readonly #receipts = new Map<string, Receipt>();
  readonly #forger: Forger;
  readonly #aboard: Aboard;
  readonly #ashore: Ashore;
  readonly #world: World;

  /** @param seed of the history; the party's draws are a stream of their own */
  constructor(world: World, seed: number) {
    this.#world = world;
    this.random = seeded(seed ^ 0x0b5e55ed);
    this.#forger = new Forger(
      this.random,
      world.tablets.map(({ person }) => person),
    );
    this.#aboard = new Aboard(world);
    this.#ashore = new Ashore(world);
  }

  /** True if the party used up an op id ashore that an honest tablet uses, too. */
  hasTaken(opId: string): boolean {
    const there = this.#world.cloud?.content.ops.get(opId)?.op;
    return there !== undefined && this.made(there);
  }

  /** True for work aboard that cannot go ashore since the party used up its op id there, or that of its survey. */
  isStuck(op: Op): boolean {
    if (this.hasTaken(op.opId)) return true;
    const survey = subjectOf(op);
    return this.#world.edges.some((edge) =>
      edge.heldOps().some((other) => other.docId === survey && !this.made(other) && this.hasTaken(other.opId)),
    );
  }

  /** True for an operation that the party made. */
  made(op: Op): boolean {
    return this.#made.has(keyOf(op));
  }

  /** Body of honest work, with private text and an expert's claim. */
  bodyOf(kind: OpKind, body: JsonObject, author: PersonId): JsonObject {
    const claim = kind === 'analysis' && author === EXPERT ? { user: { uid: author, isExpert: true } } : {};
    return withMark(kind, { ...body, ...claim });
  }

  // Facts of the cloud on people, keys and boxes.
  isAccount(uid: string): boolean {
    return uid === HOSTILE_PERSON || this.#world.tablets.some(({ person }) => person === uid);
  }

  isCertified(uid: string, key: string): boolean {
    if (uid === HOSTILE_PERSON) return key === partyKey('device').x;
    return this.#world.tablets.some(({ person, deviceKeys }) => person === uid && deviceKeys.has(key));
  }

  rolesOf(uid: string): CloudRoles {
    const facts = { isExpert: uid === EXPERT, verified: false, admin: false, staff: false };
    return rolesOfPerson(this.isAccount(uid) ? facts : null);
  }

  /** Person as the box knows them when they sign in on their tablet. */
  signInOf(uid: string): { readonly isExpert?: boolean } {
    return uid === EXPERT ? { isExpert: true } : {};
  }

  keysOf(node: string): readonly PublicKey[] {
    return node === HOSTILE_BOX ? hostileReceiptKeys() : [];
  }

  /** Notes what arrives at the cloud, from anyone. */
  noteDelivery(op: Op, submitter: Submitter, shown: unknown): Delivery {
    const { cloud, edges } = this.#world;
    const receipt = shown as Receipt | undefined;
    const node = receipt?.nodeId ?? '';
    const keys = edges.find((edge) => edge.nodeId === node)?.receiptKeys ?? this.keysOf(node);
    const box = receipt !== undefined && isReceiptFor(op, receipt, keys) ? node : null;
    return this.deliveries.note(op, submitter, { box, after: cloud?.content.lastSeq ?? 0 });
  }

  /** Acts between two steps of a history. */
  act(): void {
    for (let deeds = this.random.below(4); deeds > 0; deeds--) this.#one();
  }

  /** Reads all that it may, as every side. */
  readAll(): void {
    for (const edge of this.#world.edges) this.#hearAboard(this.#aboard.read(edge));
    for (const side of ['box', 'tablet', 'person'] as const) this.#hearAshore(side, this.#ashore.read(side));
    // A tablet ashore under the id of an honest one.
    const honest = [...this.#known.values()].find(({ opId }) => !opId.startsWith(HOSTILE_TABLET));
    // An id that an honest tablet registered is not given again.
    if (this.#world.tablets.some((tablet) => this.#world.oracle.mayAshore(tablet))) return;
    if (honest !== undefined)
      this.#hearAshore('tablet', this.#ashore.read('tablet', honest.opId.slice(0, honest.opId.lastIndexOf('-'))));
  }

  /** Access by the rules, to what the cloud accepted until now. */
  access(): Access {
    return accessOf(acceptedWrites(this.#world), factsOf(this.#world, this));
  }

  #one(): void {
    const { random } = this;
    const world = this.#world;
    const drawn = random.below(10);
    if (drawn === 0) {
      this.readAll();
      return;
    }
    if (drawn === 1) {
      this.#hearAboard(this.#aboard.read(random.pick(world.edges)));
      return;
    }
    const known = [...this.#known.values()];
    if (drawn === 2 && known.length > 0) {
      this.#relay(random.pick(known), 'replay');
      return;
    }
    const how = random.pick(FORGERIES);
    const op = this.#forger.make(how, known);
    if (op === undefined) return;
    this.#made.add(keyOf(op));
    if (random.below(3) > 0) this.#relay(op, how);
    else {
      const edge = random.pick(world.edges);
      world.note('Hostile', `${how} ${op.opId} ${op.kind} ${op.docId} at ${edge.name}`);
      this.#hearAboard(this.#aboard.send(edge, op));
      this.#covered(`${how} aboard`);
    }
  }

  /** Brings an operation ashore as one of its sides, with more or less wrapped around it. */
  #relay(op: Op, how: string): void {
    const { random } = this;
    const side = random.pick(['box', 'box', 'tablet', 'person'] as const);
    const receipt = shownReceipt(random, op, [...this.#receipts.values()]);
    const by = random.pick([undefined, HOSTILE_PERSON, EXPERT]);
    const wrapped = {
      op,
      ...(by === undefined ? {} : { by }),
      ...(receipt === undefined ? {} : { receipt }),
      ...(random.below(2) === 0 ? {} : { roles: ['isExpert', 'admin'] }),
    };
    this.#world.note('Hostile', `${how} ${op.opId} ${op.kind} ${op.docId} ashore as ${side}`);
    this.#submitted.add(op.opId);
    const [result] = this.#ashore.submit(side, [random.below(3) === 0 ? op : wrapped]);
    this.#hearAshore(side, result);
    if (result !== undefined && 'receipt' in result)
      this.#covered(`${how} ashore ${result.receipt.accepted ? 'accepted' : 'held'}`);
  }

  #covered(what: string): void {
    this.#world.covered(`hostile ${what}`);
  }

  /** A tablet at a box reads everything but other people's profiles. */
  #hearAboard(answer: unknown): void {
    this.#learn(answer);
    const people = new Set<string>(this.#world.tablets.map(({ person }) => person));
    for (const id of marksIn(answer))
      if (people.has(id)) throw new Violation(`the profile of ${id} reached the hostile tablet aboard`);
  }

  #hearAshore(side: Side, answer: unknown): void {
    this.#learn(answer);
    const entries = (answer as Partial<ChangesPage> | undefined)?.entries;
    const marks = marksIn(entries?.filter(({ op }) => op === undefined || !this.#submitted.has(op.opId)) ?? answer);
    if (marks.length === 0) return;
    const { readers } = this.access();
    for (const id of marks)
      if (!subjectsOf(side).some((subject) => readers.get(id)?.has(subject) === true))
        throw new Violation(`private text of ${id} reached the hostile ${side} ashore, which has no access to it`);
    this.#covered('read private text with access');
  }

  #learn(answer: unknown): void {
    for (const { op, receipt } of (answer as Partial<ChangesPage> | undefined)?.entries ?? []) {
      if (op !== undefined) this.#known.set(op.opId, op);
      if (receipt?.stage === 'edge') this.#receipts.set(receipt.opId, receipt);
    }
  }
}
