import type { Database } from 'better-sqlite3';
import { canonicalJson } from '../../src/domain/canonical';
import type { Folded } from '../../src/domain/fold/fold';
import { fold } from '../../src/domain/fold/fold';
import type { Receipt } from '../../src/protocol/receipt';
import type { Op } from '../../src/domain/op/op';
import type { ModelDoc } from './model-fold';
import { modelOf } from './model-fold';
import { Violation, byKey, textOf } from './oracle';
import type { SimCloud } from './nodes/sim-cloud';
import type { SimEdge } from './nodes/sim-edge';
import type { SimTablet } from './nodes/sim-tablet';
import type { World } from './world';

/** Checks every node after recovery: what it stores and what it shows. */
export class InvariantChecker {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Runs every check at the end, when all links are open and time has passed. */
  run(): void {
    const { tablets, edges, cloud, oracle } = this.#world;
    for (const node of this.#world.nodes()) oracle.look(node);
    for (const node of [...edges, ...(cloud === undefined ? [] : [cloud])])
      oracle.adopt(node.name, node.heldOps(), undefined);
    const expected = this.#expected();
    const models = new Map([...expected].map(([document, ops]) => [document, modelOf(ops)]));
    for (const edge of edges) this.#checkEdgeDocs(edge, expected, models);
    for (const tablet of tablets) this.#checkTabletDocs(tablet, expected, models);
    if (cloud !== undefined) this.#checkCloudDocs(cloud, expected, models);
    for (const node of [...tablets, ...edges, ...(cloud === undefined ? [] : [cloud])]) {
      if (node.faults.length > 0) throw new Violation(`${node.name} called it its own fault: ${node.faults[0] ?? ''}`);
    }
  }

  /** Checks that counters equal their documents: photographs of a survey, analyses of a photograph and of a person. */
  #checkCounters(who: string, database: Database): void {
    const documents = new Map<string, Op[]>();
    for (const { op } of database
      .prepare<[], { op: string }>("SELECT op FROM ops WHERE kind IN ('image', 'analysis') AND accepted = 1")
      .all()) {
      const parsed = JSON.parse(op) as Op;
      const document = `${parsed.kind}/${parsed.docId}`;
      documents.set(document, [...(documents.get(document) ?? []), parsed]);
    }
    const expected = new Map<string, number>();
    const count = (name: string, id: unknown): void => {
      if (typeof id === 'string' && id !== '') expected.set(`${name} ${id}`, (expected.get(`${name} ${id}`) ?? 0) + 1);
    };
    for (const [document, ops] of documents) {
      const { values, deleted } = modelOf(ops);
      if (deleted) continue;
      const read = (field: string): Record<string, unknown> =>
        (JSON.parse(values[field] ?? 'null') ?? {}) as Record<string, unknown>;
      if (document.startsWith('image/')) count('survey.images', read('survey')['id']);
      else {
        const { image, user } = read('*') as { image?: { id?: unknown }; user?: { uid?: unknown; isExpert?: unknown } };
        count(user?.isExpert === true ? 'image.analyses_expert' : 'image.analyses', image?.id);
        count('person.analyses', user?.uid);
      }
    }
    const counted = new Map(
      database
        .prepare<[], { name: string; id: string; n: number }>('SELECT name, id, n FROM counters')
        .all()
        .map(({ name, id, n }) => [`${name} ${id}`, n]),
    );
    for (const what of new Set([...expected.keys(), ...counted.keys()])) {
      if ((expected.get(what) ?? 0) !== (counted.get(what) ?? 0))
        throw new Violation(
          `${who} counts ${counted.get(what) ?? 0} of ${what}, and there are ${expected.get(what) ?? 0}`,
        );
    }
  }

  /** Checks that the cloud holds every operation once and each tablet knows its own. */
  #checkCloudDocs(cloud: SimCloud, expected: Map<string, Op[]>, models: Map<string, ModelDoc>): void {
    this.#checkSame(cloud.name, cloud.heldOps(), expected);
    if (cloud.content.parked.size > 0)
      throw new Violation(`${[...cloud.content.parked.keys()].join()} still waits in the cloud`);
    if (cloud.content.held.size > 0)
      throw new Violation(`${[...cloud.content.held.keys()].join()} is still on hold in the cloud`);
    // A quarantined operation has its refusal in the feed, too.
    const ownRows = cloud.content.feed
      .filter(({ own, for: subject }) => own && subject === undefined)
      .map(({ opId, receipt }) => `${opId} ${String((JSON.parse(receipt) as Receipt).accepted)}`);
    if (new Set(ownRows).size !== ownRows.length) throw new Violation('the cloud counts an operation twice');
    const [first, ...others] = this.#world.tablets;
    for (const { op, by } of cloud.content.ops.values()) {
      if (op.by === undefined && others.length === 0 && by !== first?.person)
        throw new Violation(`the cloud does not know who wrote ${op.opId}`);
    }
    for (const [document, model] of models) {
      const row = cloud.folded(document);
      if (row === undefined) throw new Violation(`the cloud has no document ${document}`);
      this.#checkFolded(cloud.name, document, row, model);
    }
    for (const tablet of this.#world.tablets) {
      const ashore = new Set(
        tablet
          .receipts()
          .filter(({ storeEpoch }) => storeEpoch === cloud.content.identity.storeEpoch)
          .map(({ opId }) => opId),
      );
      for (const { op, own } of tablet.ops())
        if (own && !ashore.has(op.opId)) throw new Violation(`${tablet.name} never heard that ${op.opId} is ashore`);
    }
  }

  #expected(): Map<string, Op[]> {
    const { tablets, edges, cloud, oracle } = this.#world;
    // A reissued and then lost operation is where it was sent, under its last number.
    const held = byKey([
      ...tablets.flatMap((tablet) => tablet.ops().map(({ op }) => op)),
      ...(cloud?.heldOps() ?? []),
      ...edges.flatMap((edge) => edge.heldOps()),
    ]);
    const documents = new Map<string, Op[]>();
    for (const [key, { op: written, tablet }] of oracle.saved) {
      // An operation assumed lost may have arrived later.
      if (oracle.excused.has(key) && !held.has(key)) continue;
      const op = tablet === undefined ? (held.get(key) ?? written) : written;
      const document = `${op.kind}/${op.docId}`;
      documents.set(document, [...(documents.get(document) ?? []), op]);
    }
    return documents;
  }

  #checkEdgeDocs(edge: SimEdge, expected: Map<string, Op[]>, models: Map<string, ModelDoc>): void {
    const store = edge.running?.store;
    if (store === undefined) throw new Violation(`${edge.name} is not there at the end`);
    this.#checkSame(edge.name, edge.heldOps(), expected);
    this.#checkCounters(edge.name, store.database);
    const read = store.database.prepare<[string, string], { folded: string }>(
      'SELECT folded FROM docs WHERE kind = ? AND doc_id = ?',
    );
    for (const [document, model] of models) {
      if (!expected.has(document)) continue;
      const [kind = '', docId = ''] = document.split('/');
      const row = read.get(kind, docId);
      if (row === undefined) throw new Violation(`${edge.name} has no document ${document}`);
      this.#checkFolded(edge.name, document, JSON.parse(row.folded) as Folded, model);
    }
  }

  #checkTabletDocs(tablet: SimTablet, expected: Map<string, Op[]>, models: Map<string, ModelDoc>): void {
    const held = tablet.ops().map(({ op }) => op);
    const others = [...expected].filter(
      ([document]) => !document.startsWith('profile/') || document.endsWith(tablet.person),
    );
    this.#checkSame(tablet.name, held, new Map(others));
    for (const [document] of others) {
      const model = models.get(document);
      if (model === undefined) continue;
      this.#checkFolded(
        tablet.name,
        document,
        fold(held.filter(({ kind, docId }) => `${kind}/${docId}` === document)),
        model,
      );
    }
  }

  #checkSame(who: string, held: readonly Op[], expected: Map<string, Op[]>): void {
    const byId = new Map(held.map((op) => [op.opId as string, op]));
    if (byId.size !== held.length) throw new Violation(`${who} holds an operation twice`);
    for (const ops of expected.values()) {
      for (const op of ops) {
        const there = byId.get(op.opId);
        if (there === undefined) throw new Violation(`${who} never got ${op.opId} (${op.kind} ${op.docId})`);
        if (textOf(there) !== textOf(op)) throw new Violation(`${who} holds ${op.opId} otherwise than it was written`);
      }
    }
  }

  #checkFolded(who: string, document: string, folded: Folded, model: ModelDoc): void {
    const values = document.startsWith('analysis/')
      ? { '*': canonicalJson(folded.doc) }
      : Object.fromEntries(Object.entries(folded.doc).map(([field, value]) => [field, canonicalJson(value)]));
    const same = JSON.stringify(sorted(values)) === JSON.stringify(sorted(model.values));
    if (!same)
      throw new Violation(
        `${who} shows ${document} otherwise than its operations say: ${JSON.stringify(values)} instead of ${JSON.stringify(model.values)}`,
      );
    const conflicts = folded.conflicts
      .map(({ field, opId, value }) => `${field} ${opId} ${canonicalJson(value)}`)
      .sort();
    if (JSON.stringify(conflicts) !== JSON.stringify(model.conflicts))
      throw new Violation(
        `${who} shows other conflicts of ${document}: ${JSON.stringify(conflicts)} instead of ${JSON.stringify(model.conflicts)}`,
      );
    if (folded.deleted !== model.deleted)
      throw new Violation(`${who} says of ${document} that it is ${folded.deleted ? '' : 'not '}deleted`);
  }
}

function sorted(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
