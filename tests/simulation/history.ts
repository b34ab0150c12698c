import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { Dexie } from 'dexie';
import { seeded } from '../support/seed';
import { Recovery } from './recovery';
import { HostileChecker } from './hostile/hostile-checker';
import { HostileParty } from './hostile/party';
import { InvariantChecker } from './invariant-checker';
import type { Mix } from './mix';
import { HOSTILE_MIX, MIX, castOf } from './mix';
import { Violation } from './oracle';
import { Steps } from './steps';
import type { Topology } from './world';
import { World } from './world';

// Dexie's live queries need a global `indexedDB`; each tablet still has its own databases.
Object.assign(Dexie.dependencies, { indexedDB: new IDBFactory(), IDBKeyRange });

export interface Outcome {
  readonly seed: number;
  /** Broken invariant; null if none. */
  readonly violation: string | null;
  /** Digest of the trace: the same for the same seed. */
  readonly digest: string;
  readonly coverage: Readonly<Record<string, number>>;
  readonly trace: readonly string[];
}

export interface HistoryOptions {
  readonly mix?: Partial<Mix>;
  readonly cast?: Partial<Topology>;
  /** Adds a hostile tablet and a hostile box; its weights of steps leave out lost disks. */
  readonly hostile?: boolean;
  /** Records every line of the trace. */
  readonly keepTrace?: boolean;
}

const ROOT = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'reef-simulation-'));
process.on('exit', () => fs.rmSync(ROOT, { recursive: true, force: true }));
let count = 0;

/** Unhandled rejections, reported with their history. */
const rejected: string[] = [];
process.on('unhandledRejection', (error) => rejected.push(wordsOf(error)));

/**
 * Runs one history from its seed: work, faults, recovery, checks. Call it from a task of Node's own loop, not within a
 * promise: it drains every promise itself.
 */
export function runHistory(
  seed: number,
  { mix, cast, hostile = false, keepTrace = false }: HistoryOptions = {},
): Outcome {
  count += 1;
  const folder = path.join(ROOT, String(count));
  const topology = { ...castOf(seeded(seed ^ 0x5eed)), ...(hostile ? { cloud: true } : {}), ...cast };
  const world = new World(seed, topology, folder, `sim${count}`, keepTrace);
  if (hostile) world.hostile = new HostileParty(world, seed);
  const restore = world.loop.install((n) => world.random.bytes(n));
  let violation: string | null = null;
  world.loop.onThrown = (life, error) => {
    // A program that ended inside a step leaves it by throwing.
    if (life?.alive !== false) violation ??= wordsOf(error);
  };
  const steps = new Steps(world, { ...MIX, ...(hostile ? HOSTILE_MIX : {}), ...mix });
  try {
    steps.begin();
    const most = 12 + world.random.below(22);
    for (let i = 0; i < most && violation === null; i++) {
      steps.one();
      world.hostile?.act();
    }
    if (violation === null) new Recovery(world, steps).run();
    const { hostile: party } = world;
    const checker = party === undefined ? new InvariantChecker(world) : new HostileChecker(world, party);
    if (violation === null) checker.run();
  } catch (error) {
    violation ??= wordsOf(error);
  } finally {
    for (const node of world.nodes()) node.running?.life.end();
    // Lets libraries drop what they cache for a while.
    world.pass(10_000);
    restore();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  violation ??= rejected[0] ?? null;
  rejected.length = 0;
  return { seed, violation, digest: world.digest(), coverage: world.coverage, trace: world.trace };
}

function wordsOf(error: unknown): string {
  if (error instanceof Violation) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
