import { CEILING_MESSAGES } from '../../../src/domain/fold/ceilings';
import { fold } from '../../../src/domain/fold/fold';
import type { Folded } from '../../../src/domain/fold/fold';
import { canonicalJson } from '../../../src/domain/canonical';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { modelOf } from '../model-fold';
import { Violation, byKey, keyOf, textOf } from '../oracle';
import type { SimCloud } from '../nodes/sim-cloud';
import type { SimEdge } from '../nodes/sim-edge';
import type { SimTablet } from '../nodes/sim-tablet';
import type { World } from '../world';
import { isProven, subjectOf } from './access-rules';
import { acceptedWrites, factsOf } from './facts';
import { EXPERT } from './identities';
import type { HostileParty } from './party';

/** Checks every node after recovery of a history with a hostile party. */
export class HostileChecker {
  readonly #world: World;
  readonly #party: HostileParty;

  constructor(world: World, party: HostileParty) {
    this.#world = world;
    this.#party = party;
  }

  run(): void {
    const { tablets, edges, cloud, oracle } = this.#world;
    for (const node of this.#world.nodes()) oracle.look(node);
    this.#party.readAll();
    for (const node of [...edges, ...(cloud === undefined ? [] : [cloud])])
      oracle.adopt(node.name, node.heldOps(), undefined);
    const honest = this.#honestOps();
    const begun = new Set(honest.flatMap((op) => (op.over === undefined ? [documentOf(op)] : [])));
    // Refused content is shown on its tablet: a part of a survey, a photograph that only the party has.
    const whole = honest.filter((op) => !this.#isShownAsRefused(op, begun.has(documentOf(op))));
    for (const edge of edges) this.#checkEdge(edge, whole);
    for (const tablet of tablets) this.#checkTablet(tablet, whole);
    if (cloud !== undefined) this.#checkCloud(cloud, whole);
    for (const node of [...tablets, ...edges, ...(cloud === undefined ? [] : [cloud])])
      if (node.faults.length > 0) throw new Violation(`${node.name} called it its own fault: ${node.faults[0] ?? ''}`);
  }

  /** Honest operations under their last names. */
  #honestOps(): readonly Op[] {
    const { tablets, edges, cloud, oracle } = this.#world;
    const held = byKey([
      ...tablets.flatMap((tablet) => tablet.ops().map(({ op }) => op)),
      ...(cloud?.heldOps() ?? []),
      ...edges.flatMap((edge) => edge.heldOps()),
    ]);
    return [...oracle.saved].map(([key, { op, tablet }]) => (tablet === undefined ? (held.get(key) ?? op) : op));
  }

  #isShownAsRefused({ opId, kind, body }: Op, isBegun: boolean): boolean {
    const owner = (body['user'] as { uid?: unknown } | null | undefined)?.uid;
    const isInParts = kind === 'survey' && typeof owner !== 'string';
    const isShown = this.#world.tablets.some((tablet) =>
      (tablet.rows('holds') as { opId: string }[]).some((row) => row.opId === opId),
    );
    return (isInParts || !isBegun) && isShown;
  }

  #checkEdge(edge: SimEdge, honest: readonly Op[]): void {
    const { cloud } = this.#world;
    const rows = edge.running?.store.database
      .prepare<[], { op: string; accepted: number; by_person: string | null; author_roles: string | null }>(
        'SELECT op, accepted, by_person, author_roles FROM ops ORDER BY seq',
      )
      .all();
    if (rows === undefined) throw new Violation(`${edge.name} is not there at the end`);
    const accepted = rows.filter((row) => row.accepted === 1).map(({ op }) => JSON.parse(op) as Op);
    this.#checkHolds(
      edge.name,
      rows.map(({ op }) => JSON.parse(op) as Op),
      honest,
    );
    const docs = edge.running?.store.database
      .prepare<[], { kind: OpKind; doc_id: string; folded: string }>('SELECT kind, doc_id, folded FROM docs')
      .all();
    for (const { kind, doc_id, folded } of docs ?? [])
      this.#checkFolded(edge.name, `${kind}/${doc_id}`, JSON.parse(folded) as Folded, accepted);
    for (const { op, by_person, author_roles } of rows) {
      const parsed = JSON.parse(op) as Op;
      const roles = author_roles === null ? [] : (JSON.parse(author_roles) as string[]);
      const ashore = cloud?.content.ops.get(parsed.opId)?.roles ?? [];
      // Aboard signatures are not checked: an expert's tablet also relays what others wrote in the expert's name.
      for (const role of roles)
        if (!ashore.some((one) => one === role) && !(by_person === EXPERT && role === 'isExpert'))
          throw new Violation(`${edge.name} counts ${role} of ${parsed.opId}, which nobody gave`);
    }
  }

  #checkTablet(tablet: SimTablet, honest: readonly Op[]): void {
    const held = tablet.ops().map(({ op }) => op);
    const visible = honest.filter(({ kind, docId }) => kind !== 'profile' || docId === tablet.person);
    this.#checkHolds(
      tablet.name,
      held,
      visible.filter((op) => !this.#hasOtherUnderIt(tablet, held, op)),
    );
    for (const document of new Set(held.map(documentOf))) {
      const ops = held.filter((op) => documentOf(op) === document);
      this.#checkFolded(tablet.name, document, fold(ops), ops);
    }
  }

  /**
   * True for work whose op id the party used up ashore, on a tablet that read the party's operation there: it stores one
   * under an id ("A known operation: if it differs, nothing changes"), and the work is on its own tablet and the box.
   */
  #hasOtherUnderIt({ name, person }: SimTablet, held: readonly Op[], op: Op): boolean {
    const isTaken = held.some((other) => other.opId === op.opId && this.#party.made(other));
    if (!isTaken || !this.#party.hasTaken(op.opId)) return false;
    if (op.by === person) throw new Violation(`${name} has another operation under ${op.opId}, its own`);
    this.#world.covered('hostile op id on a tablet');
    return true;
  }

  #checkCloud(cloud: SimCloud, honest: readonly Op[]): void {
    const party = this.#party;
    this.#checkHolds(
      cloud.name,
      cloud.heldOps(),
      honest.filter((op) => !this.#waitsForItsId(op)),
    );
    const { wrong } = party.access();
    for (const { op, why } of wrong)
      throw new Violation(`the cloud accepted ${op.opId} (${op.kind} ${op.docId}, ${why}), which no rule allows`);
    const facts = factsOf(this.#world, party);
    for (const { op, by, roles } of cloud.content.ops.values())
      for (const role of roles)
        if (role !== 'isExpert' || by !== EXPERT || !isProven(op, by, facts))
          throw new Violation(`the cloud counts ${role} of ${op.opId}, which nobody gave`);
    const stored = [...cloud.content.ops.values()].filter(({ accepted }) => accepted);
    const accepted = stored.map(({ op }) => op);
    for (const document of new Set(accepted.map(documentOf))) {
      const folded = cloud.folded(document);
      if (folded !== undefined) this.#checkFolded(cloud.name, document, folded, accepted);
    }
    this.#checkRefused(cloud, honest);
  }

  /** True for work whose op id the party used up ashore: it is aboard, and its bridge shows why it is not ashore. */
  #waitsForItsId(op: Op): boolean {
    const { opId } = op;
    const { bridges } = this.#world;
    if (!this.#party.hasTaken(opId)) return this.#party.isStuck(op);
    this.#world.covered('hostile took an op id ashore');
    const isShown = bridges.some((bridge) =>
      bridge.state()?.open.some((one) => one.opId === opId && one.error?.code === 'receipt-mismatch'),
    );
    if (!isShown) throw new Violation(`no bridge shows that ${opId} is not ashore`);
    return true;
  }

  /** Checks that honest work is held for a reason of the protocol page alone, and that staff can release it. */
  #checkRefused(cloud: SimCloud, honest: readonly Op[]): void {
    const seized = this.#seized();
    const begun = new Set(
      honest.flatMap(({ kind, docId, over }) => (kind === 'survey' && over === undefined ? [docId] : [])),
    );
    for (const { opId, kind, docId } of honest) {
      const stored = cloud.content.ops.get(opId);
      if (stored === undefined || stored.accepted || this.#party.made(stored.op)) continue;
      const { reason } = JSON.parse(stored.receipt) as { reason?: string };
      const isExcused =
        seized.has(subjectOf(stored.op)) ||
        seized.has(`${kind}/${docId}`) ||
        // A photograph that someone added to a survey of the party.
        !begun.has(subjectOf(stored.op)) ||
        this.#party.isStuck(stored.op) ||
        (CEILINGS.includes(reason ?? '') && this.#isFilled(`${kind}/${docId}`));
      if (!isExcused)
        throw new Violation(`the cloud holds ${opId} (${kind} ${docId}), which was in order: ${reason ?? ''}`);
      this.#world.covered('hostile made honest work wait');
      const released = this.#world.settle(cloud.running!.store.release(opId), `staff release ${opId}`);
      if (!released.accepted) throw new Violation(`staff cannot release ${opId}: ${released.reason ?? ''}`);
    }
  }

  /** True if the party, aboard, wrote into a document: its counts and sizes there are not those ashore. */
  #isFilled(document: string): boolean {
    return this.#world.edges.some((edge) =>
      edge.heldOps().some((op) => documentOf(op) === document && this.#party.made(op)),
    );
  }

  /** Surveys and records that the party began ashore before the crew did. */
  #seized(): ReadonlySet<string> {
    const seen = new Set<string>();
    const seized = new Set<string>();
    for (const { op } of acceptedWrites(this.#world)) {
      for (const name of [documentOf(op), ...(op.kind === 'survey' ? [op.docId] : [])]) {
        if (!seen.has(name) && this.#party.made(op)) seized.add(name);
        seen.add(name);
      }
    }
    return seized;
  }

  #checkHolds(who: string, held: readonly Op[], honest: readonly Op[]): void {
    const byId = new Map(held.map((op) => [op.opId as string, op]));
    for (const op of honest) {
      const there = byId.get(op.opId);
      if (there === undefined || keyOf(there) !== keyOf(op))
        throw new Violation(`${who} never got ${op.opId} (${op.kind} ${op.docId})`);
      if (textOf(there) !== textOf(op)) throw new Violation(`${who} holds ${op.opId} otherwise than it was written`);
    }
  }

  #checkFolded(who: string, document: string, folded: Folded, all: readonly Op[]): void {
    const model = modelOf(all.filter((op) => documentOf(op) === document));
    const values = document.startsWith('analysis/')
      ? { '*': canonicalJson(folded.doc) }
      : Object.fromEntries(Object.entries(folded.doc).map(([field, value]) => [field, canonicalJson(value)]));
    const sorted = (of: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(of).sort());
    if (sorted(values) !== sorted(model.values))
      throw new Violation(
        `${who} shows ${document} otherwise than its operations say: ${sorted(values)} instead of ${sorted(model.values)}`,
      );
  }
}

/** Reasons of what a ceiling holds. */
const CEILINGS: readonly string[] = Object.values(CEILING_MESSAGES);

function documentOf({ kind, docId }: Op): string {
  return `${kind}/${docId}`;
}
