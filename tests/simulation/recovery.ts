import type { Statement } from 'better-sqlite3';
import type { SqliteAppendStore } from '../../edge-server/store/sqlite-append-store';
import { CALM } from './nodes/network';
import { Violation } from './oracle';
import type { SimBridge } from './nodes/sim-bridge';
import type { SimEdge } from './nodes/sim-edge';
import type { SimTablet } from './nodes/sim-tablet';
import type { Steps } from './steps';
import type { World } from './world';

/** Limit for settling after recovery, ms of virtual time. */
const REST_WITHIN_MS = 300_000;

const statements = new WeakMap<object, Map<string, Statement>>();

/** Statement of a box's store, prepared once. */
function prepared<Values extends unknown[], Row>(store: SqliteAppendStore, sql: string): Statement<Values, Row> {
  const known = statements.get(store) ?? new Map<string, Statement>();
  statements.set(store, known);
  const statement = known.get(sql) ?? store.database.prepare(sql);
  known.set(sql, statement);
  return statement as unknown as Statement<Values, Row>;
}

/** Recovery: every fault ends, then all that is owed must be sent and every node must catch up. */
export class Recovery {
  readonly #world: World;
  readonly #steps: Steps;

  constructor(world: World, steps: Steps) {
    this.#world = world;
    this.#steps = steps;
  }

  run(): void {
    const world = this.#world;
    const steps = this.#steps;
    for (const edge of world.edges) edge.endAt = undefined;
    for (const node of world.nodes()) if (node.running !== undefined) node.running.life.killIn = undefined;
    for (const way of world.ways()) way.set({ ...CALM });
    for (const node of world.nodes()) if (!node.alive) steps.revive(node);
    world.note('all', 'healing');
    for (const tablet of world.tablets) steps.attend(tablet, true);
    if (world.oracle.mustComeFromTablets) this.#goAshore();
    // Tablets visit each box and return to the first, carrying what they learned.
    const [first, second] = world.edges;
    const calls = second === undefined ? [first] : [first, second, first];
    for (const [i, edge] of calls.entries()) {
      if (edge === undefined) continue;
      for (const tablet of world.tablets) steps.moor(tablet, edge);
      this.#rest(edge, i === calls.length - 1);
    }
  }

  /**
   * Connects tablets to the cloud until they owe it nothing: bytes freed by a box cannot reach a new cloud epoch
   * otherwise.
   */
  #goAshore(): void {
    const world = this.#world;
    const steps = this.#steps;
    const { cloud } = world;
    if (cloud === undefined) return;
    for (const tablet of world.tablets) steps.moor(tablet, cloud);
    const until = world.loop.now + REST_WITHIN_MS;
    const mayAshore = world.tablets.filter((tablet) => world.oracle.mayAshore(tablet));
    // A tablet also learns of a cloud from receipts imported by a box, before any sign-in there.
    const has = (tablet: SimTablet): boolean =>
      (tablet.rows('clouds') as { storeEpoch: string; credential: string | null }[]).some(
        ({ storeEpoch, credential }) => storeEpoch === cloud.content.identity.storeEpoch && credential !== null,
      );
    // A new cloud store has no accounts: people sign in again.
    for (const tablet of mayAshore)
      if (!has(tablet)) world.settle(tablet.signInAshore(cloud.origin), `${tablet.name} signs in ashore again`);
    const owing = () => mayAshore.find((tablet) => tablet.running?.sync.sender.hasOwed() !== false || !has(tablet));
    for (let tablet = owing(); tablet !== undefined; tablet = owing()) {
      if (world.loop.now > until) throw new Violation(`${tablet.name} did not come to rest ashore`);
      world.pass(700);
    }
  }

  #rest(edge: SimEdge, last: boolean): void {
    const world = this.#world;
    const restless = (): { readonly name: string; readonly why: string } | undefined => {
      for (const tablet of world.tablets) {
        const why = this.#keepsAwake(tablet, edge);
        if (why !== undefined) return { name: tablet.name, why };
      }
      for (const bridge of world.bridges) {
        // Ops missing on another box arrive when the tablets visit it.
        const why = last || bridge.edge === edge ? this.#bridgeKeepsAwake(bridge, last) : undefined;
        if (why !== undefined) return { name: bridge.name, why };
      }
      return undefined;
    };
    const until = world.loop.now + REST_WITHIN_MS;
    while (restless() !== undefined) {
      if (world.loop.now > until)
        throw new Violation(`${restless()?.name ?? ''} did not come to rest at ${edge.name}: ${restless()?.why ?? ''}`);
      world.pass(700);
    }
  }

  /** Reason why a tablet is not done at a box. */
  #keepsAwake(tablet: SimTablet, edge: SimEdge): string | undefined {
    const { running } = tablet;
    const store = edge.running?.store;
    if (running === undefined || store === undefined) return 'it is not there';
    const { identity } = store;
    if (running.edgeLink.current?.edge.nodeId !== identity.nodeId) return 'it is not connected';
    if (running.sync.sender.hasOwed()) return 'it owes something';
    const cursor = (tablet.rows('cursors') as { nodeId: string; storeEpoch: string; since: number }[]).find(
      ({ nodeId }) => nodeId === identity.nodeId,
    );
    const since = cursor?.storeEpoch === identity.storeEpoch ? cursor.since : 0;
    // Excludes other people's profiles, which it may not see.
    const unread = prepared<[number, string, string], { n: number }>(
      store,
      "SELECT count(*) AS n FROM feed WHERE seq > ? AND (kind <> 'profile' OR device = ? OR doc_id = ?)",
    ).get(since, tablet.deviceId(), tablet.person);
    return unread?.n === 0 ? undefined : 'it has not read the feed to its end';
  }

  /** Tells what need not come ashore from a box: what a hostile party wrote, or keeps aboard. */
  #hostileAboard(edge: SimEdge): (opId: string) => boolean {
    const { hostile } = this.#world;
    if (hostile === undefined) return () => false;
    const ops = new Map(edge.heldOps().map((op) => [op.opId as string, op]));
    return (opId) => {
      const op = ops.get(opId);
      return op !== undefined && (hostile.made(op) || (!hostile.hasTaken(opId) && hostile.isStuck(op)));
    };
  }

  /**
   * Reason why a bridge is not done. An op id used by two lives of a tablet is resolved after the tablet visits the
   * other box.
   */
  #bridgeKeepsAwake(bridge: SimBridge, last: boolean): string | undefined {
    const { cloud } = this.#world;
    const store = bridge.edge.running?.store;
    const state = bridge.state();
    if (cloud === undefined || store === undefined) return 'it is not there';
    const { storeEpoch } = cloud.content.identity;
    const owed = prepared<[string], { op_id: string }>(
      store,
      "SELECT op_id FROM ops WHERE NOT EXISTS (SELECT 1 FROM feed WHERE feed.op_id = ops.op_id AND stage = 'cloud' AND store_epoch = ?)",
    ).all(storeEpoch);
    const isNameTaken = (opId: string): boolean =>
      (!last || this.#world.hostile !== undefined) &&
      [...(state?.open ?? []), ...(state?.strayed ?? [])].some(
        (one) => one.opId === opId && ('code' in one ? one.code : one.error?.code) === 'receipt-mismatch',
      );
    const isHostile = this.#hostileAboard(bridge.edge);
    if (
      owed.some(
        ({ op_id }) =>
          !isHostile(op_id) && !this.#world.oracle.isAshoreAgain(bridge.edge, op_id) && !isNameTaken(op_id),
      )
    )
      return 'the cloud has not receipted everything';
    if (state === undefined || state.cloud.epoch !== storeEpoch || state.edge.epoch !== store.identity.storeEpoch)
      return 'it has not met both';
    const standing = [...state.open, ...state.strayed].find(({ opId }) => !isNameTaken(opId) && !isHostile(opId));
    if (standing !== undefined) return `something stands open: ${JSON.stringify(standing)}`;
    const node = store.identity.nodeId;
    const news = cloud.content.feed.some(
      (row) =>
        row.seq > state.cloud.cursor &&
        (row.for === `node:${node}` ||
          (row.for === undefined && row.topic !== null && cloud.content.grants.has(`node:${node} ${row.topic}`))),
    );
    return news ? 'there is news ashore' : undefined;
  }
}
