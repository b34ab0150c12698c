import type { Mix, StepKind } from './mix';
import { DEEDS, weighted } from './mix';
import type { NetworkLink, LinkConditions } from './nodes/network';
import { CALM } from './nodes/network';
import type { LeanAnswer } from './nodes/lean-app';
import { Violation } from './oracle';
import { People } from './people';
import type { SimCloud } from './nodes/sim-cloud';
import { callerOf } from './nodes/sim-cloud';
import type { SimEdge } from './nodes/sim-edge';
import type { SimTablet } from './nodes/sim-tablet';
import type { SimNode, World } from './world';

const BAD: Partial<LinkConditions> = { latency: [5, 400], loseRequest: 0.1, loseAnswer: 0.15, twice: 0.2, hang: 0.03 };
/** Points inside a store step where a box's program may end. */
const COMMIT_POINTS = [
  'append.before-commit',
  'append.after-commit',
  'append.after-insert',
  'blob.after-rename',
  'blob.after-fsync',
] as const;

/** Steps of a history. */
export class Steps {
  readonly #people: People;
  readonly #listening = new Map<SimTablet, () => void>();
  readonly #backups = new Map<SimNode, () => void>();
  /** True after a tablet was restored: boxes then stay, since its later life must meet its earlier writes there. */
  #tabletWentBack = false;

  readonly #world: World;
  readonly #mix: Mix;

  constructor(world: World, mix: Mix) {
    this.#world = world;
    this.#mix = mix;
    this.#people = new People(world);
  }

  /** Starts every node and pairs tablets with every box. */
  begin(): void {
    const world = this.#world;
    for (const node of [...world.edges, ...(world.cloud === undefined ? [] : [world.cloud]), ...world.bridges])
      world.settle(node.boot(), `${node.name} boots`);
    for (const tablet of world.tablets) {
      world.settle(tablet.boot(), `${tablet.name} boots`);
      for (const edge of world.edges) world.settle(tablet.pair(edge), `${tablet.name} pairs with ${edge.name}`);
      for (const edge of world.edges) edge.signIn(tablet.deviceId(), tablet.person);
      if (world.cloud !== undefined && world.random.below(3) > 0)
        world.settle(tablet.signInAshore(world.cloud.origin), `${tablet.name} signs in ashore`);
      this.moor(tablet, world.random.pick(world.edges));
      if (world.random.below(4) > 0) this.attend(tablet);
    }
    // Most histories start with a shared survey: concurrent writes to one document are the hard case.
    const [first] = world.tablets;
    if (first === undefined || world.random.below(4) === 0) return;
    void this.#people.begin(first, 'survey');
    world.pass(400);
    void this.#people.begin(first, 'photograph');
    world.pass(800);
  }

  one(): void {
    const world = this.#world;
    const { random } = world;
    const kind = weighted(this.#mix, random.fraction());
    const tablet = random.pick(world.tablets);
    const edge = random.pick(world.edges);
    switch (kind) {
      case 'deed': {
        const deed = weighted(DEEDS, random.fraction());
        world.note(tablet.name, `does ${deed}`);
        void this.#people.begin(tablet, deed);
        world.pass(random.below(3) === 0 ? 0 : random.below(400));
        break;
      }
      case 'sail':
        this.moor(tablet, random.below(4) === 0 ? undefined : random.below(4) === 0 ? (world.cloud ?? edge) : edge);
        break;
      case 'weather': {
        const way = this.#someWay(tablet, edge);
        const bad = random.below(3) > 0;
        world.note(way.name, bad ? 'bad weather' : 'calm');
        way.set(bad ? BAD : { ...CALM, up: way.weather.up });
        break;
      }
      case 'cut': {
        const way = this.#someWay(tablet, edge);
        world.note(way.name, 'cut');
        if (way.name.startsWith('Bridge')) way.set({ up: !way.weather.up });
        way.cut();
        break;
      }
      case 'kill':
        this.#kill(random.pick(world.nodes()));
        break;
      case 'endInCommit':
        edge.endAt = random.pick(COMMIT_POINTS);
        break;
      case 'backup':
        this.#backUp(random.below(2) === 0 ? tablet : (world.cloud ?? edge));
        if (random.below(2) === 0) this.#backUp(edge);
        break;
      case 'clock': {
        const node = random.pick(world.nodes());
        node.wall.offset = (random.fraction() - 0.5) * 20 * 365 * 86_400_000;
        world.note(node.name, `clock set by ${Math.round(node.wall.offset)}`);
        world.covered('clock jump');
        break;
      }
      case 'pass':
        world.pass(random.below(4) === 0 ? 20_000 * random.fraction() : 2000 * random.fraction());
        break;
      case 'attend':
        this.attend(tablet);
        break;
      case 'free':
        if (world.cloud !== undefined && random.below(3) > 0) this.moor(tablet, world.cloud);
        void this.#people.begin(tablet, 'free');
        edge.full = !edge.full;
        world.note(edge.name, edge.full ? 'its disk is nearly full' : 'it has room');
        world.pass(random.below(2000));
        break;
      case 'forge':
        this.#forge(edge);
        break;
      case 'settle':
        void this.#people.begin(tablet, 'settle');
        world.pass(random.below(400));
        break;
      case 'early':
        this.#recordAhead(tablet, edge);
        break;
      default:
        this.#disaster(kind, tablet, edge);
    }
    for (const node of world.nodes()) if (!node.alive && random.below(3) === 0) this.revive(node);
  }

  /** Moves a tablet into reach of one box, the cloud or neither. */
  moor(tablet: SimTablet, at: SimEdge | SimCloud | undefined): void {
    for (const node of [...this.#world.edges, ...(this.#world.cloud === undefined ? [] : [this.#world.cloud])])
      tablet.wayTo(node).set({ up: node === at });
    this.#world.note(tablet.name, at === undefined ? 'out of reach' : `at ${at.name}`);
    tablet.noticeNetwork();
  }

  /** Opens a live view of others' writes for a while. */
  attend(tablet: SimTablet, always = false): void {
    const stop = this.#listening.get(tablet);
    if (stop === undefined) {
      const { running } = tablet;
      if (running?.life.alive === true) this.#listening.set(tablet, running.sync.retain());
    } else if (!always) {
      stop();
      this.#listening.delete(tablet);
    }
  }

  /** Restarts ended nodes and checks their earlier promises. */
  revive(node: SimNode): void {
    const world = this.#world;
    world.note(node.name, 'starts');
    if (world.tablets.some((tablet) => tablet === node)) this.#listening.delete(node as SimTablet);
    world.settle(node.boot(), `${node.name} boots`);
    world.oracle.look(node);
  }

  #someWay(tablet: SimTablet, edge: SimEdge): NetworkLink {
    const { random, bridges } = this.#world;
    const bridge = bridges.find((one) => one.edge === edge);
    const { cloud } = this.#world;
    if (cloud !== undefined && random.below(5) === 0) return tablet.wayTo(cloud);
    if (bridge === undefined || random.below(2) === 0) return tablet.wayTo(edge);
    return random.below(3) === 0 ? bridge.aboard : bridge.ashore;
  }

  #kill(node: SimNode): void {
    const life = node.running?.life;
    if (life === undefined || !life.alive) return;
    life.killIn = this.#world.random.below(30);
    this.#world.note(node.name, `is killed in ${life.killIn}`);
    this.#world.covered(`kill of ${node.name.replace(/[AB12]$/, '').toLowerCase()}`);
    this.#world.pass(this.#world.random.below(300));
  }

  #backUp(node: SimNode): void {
    if (!node.alive || !('backup' in node)) return;
    this.#backups.set(node, node.backup());
    this.#world.note(node.name, 'is backed up');
  }

  /** Sends a body that does not match its hash; every node must refuse it. */
  #forge(edge: SimEdge): void {
    const world = this.#world;
    const { cloud } = world;
    const [op] = edge.heldOps();
    if (op === undefined || !edge.alive) return;
    const forged = { ...op, opId: `Forger0000000001-${world.loop.steps + 1}`, body: { ...op.body, name: 'Another' } };
    world.covered('forged');
    const taken = (answer: LeanAnswer | undefined): boolean => JSON.stringify(answer?.body ?? '').includes('"receipt"');
    const aboard = edge.ask('POST /edge/ops', { body: { ops: [forged], receipts: [] } });
    if (aboard !== undefined && taken(world.tryToSettle(aboard)))
      throw new Violation(`${edge.name} took an operation whose hash is wrong`);
    const { running } = cloud ?? {};
    if (cloud === undefined || running === undefined || !cloud.alive) return;
    const ashore = cloud.answer(running, 'POST', '/api/ops', {
      body: { ops: [forged] },
      cloudCaller: callerOf('box', { node: edge.running?.store.identity.nodeId ?? null }),
    });
    if (taken(world.tryToSettle(ashore))) throw new Violation('the cloud took an operation whose hash is wrong');
  }

  /** Sends a photograph's record ashore before its bytes, like an older bridge or a truncated bundle: it is parked. */
  #recordAhead(tablet: SimTablet, edge: SimEdge): void {
    const world = this.#world;
    const { cloud } = world;
    const { running } = cloud ?? {};
    if (cloud === undefined || running === undefined || !cloud.alive || !edge.alive) return;
    const there = new Set((tablet.rows('blobs') as { sha256: string }[]).map(({ sha256 }) => sha256));
    const held = new Set(tablet.ops().map(({ op }) => op.opId));
    const op = edge
      .heldOps()
      .find(
        (one) =>
          one.kind === 'image' &&
          held.has(one.opId) &&
          there.has(String(one.body['sha256'])) &&
          cloud.bytesOf(String(one.body['sha256'])) === undefined,
      );
    if (op === undefined) return;
    world.covered('record ahead of its bytes');
    world.note(edge.name, `brings ${op.opId} ashore without its bytes`);
    world.tryToSettle(
      cloud.answer(running, 'POST', '/api/ops', {
        body: { ops: [{ op, by: tablet.person }] },
        cloudCaller: callerOf('box', { node: edge.running?.store.identity.nodeId ?? null }),
      }),
    );
  }

  /**
   * Loses or restores disks while everything runs. A cloud loses freed bytes only if its backup or a tablet with cloud
   * access has them; otherwise they would be lost for good.
   */
  #disaster(
    kind: Exclude<
      StepKind,
      | 'deed'
      | 'sail'
      | 'weather'
      | 'cut'
      | 'kill'
      | 'endInCommit'
      | 'backup'
      | 'clock'
      | 'pass'
      | 'attend'
      | 'free'
      | 'forge'
      | 'early'
      | 'settle'
    >,
    tablet: SimTablet,
    edge: SimEdge,
  ): void {
    const world = this.#world;
    const { cloud, oracle } = world;
    if (world.nodes().some((node) => !node.alive || node.running?.life.killIn !== undefined)) return;
    const happen = (node: SimNode, what: string, act: () => void): void => {
      world.note(node.name, what);
      world.covered(what);
      node.running?.life.end();
      world.pass(1);
      oracle.disaster(act, node === tablet ? tablet : undefined);
      this.revive(node);
    };
    switch (kind) {
      case 'replaceEdge':
        if (!this.#tabletWentBack) happen(edge, 'new epoch', () => edge.replaceStore());
        return;
      case 'restoreEdge': {
        const back = this.#backups.get(edge);
        if (back !== undefined && !this.#tabletWentBack) happen(edge, 'box put back', back);
        return;
      }
      case 'restoreTablet': {
        const back = this.#backups.get(tablet);
        if (back === undefined || !oracle.isKnownAboard(tablet)) return;
        this.#tabletWentBack = true;
        happen(tablet, 'tablet put back', back);
        return;
      }
      case 'replaceCloud':
      case 'restoreCloud': {
        const back =
          cloud === undefined
            ? undefined
            : kind === 'replaceCloud'
              ? () => cloud.replaceStore()
              : this.#backups.get(cloud);
        if (cloud === undefined || back === undefined || this.#tabletWentBack) return;
        const freed = oracle.freedAnywhere();
        const lost = freed.filter((sha256) => kind === 'replaceCloud' || !cloud.hasBackedUp(sha256));
        if (!lost.every((sha256) => oracle.isOnATablet(sha256))) return;
        happen(
          cloud,
          `${kind === 'replaceCloud' ? 'new cloud epoch' : 'cloud put back'}${lost.length > 0 ? ' without what was freed' : freed.length > 0 ? ' after a freeing' : ''}`,
          back,
        );
        if (lost.length > 0) oracle.mustComeFromTablets = true;
        return;
      }
      case 'forgetfulBridge': {
        const bridge = world.bridges.find((one) => one.edge === edge);
        if (bridge !== undefined) happen(bridge, 'bridge without memory', () => bridge.forgetAll());
      }
    }
  }
}
