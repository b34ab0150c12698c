import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { Dexie } from 'dexie';
import { seeded } from '../support/seed';
import { Healing } from './healing';
import { Judge } from './judge';
import type { Mix } from './mix';
import { MIX, castOf } from './mix';
import { Violation } from './oracle';
import { Steps } from './steps';
import type { Cast } from './world';
import { World } from './world';

// Dexie's live queries run only where it found an `indexedDB` of its own; the databases themselves are each tablet's.
Object.assign(Dexie.dependencies, { indexedDB: new IDBFactory(), IDBKeyRange });

export interface Outcome {
  readonly seed: number;
  /** What did not hold; null: everything held. */
  readonly violation: string | null;
  /** Of all that was noted: the same for the same seed. */
  readonly digest: string;
  readonly coverage: Readonly<Record<string, number>>;
  readonly trace: readonly string[];
}

export interface HistoryOptions {
  readonly mix?: Partial<Mix>;
  readonly cast?: Partial<Cast>;
  /** Keeps every line of what happened. */
  readonly keepTrace?: boolean;
}

const ROOT = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'reef-simulation-'));
process.on('exit', () => fs.rmSync(ROOT, { recursive: true, force: true }));
let count = 0;

/** Promises that nobody caught: told with the history in which they broke. */
const rejected: string[] = [];
process.on('unhandledRejection', (error) => rejected.push(wordsOf(error)));

/**
 * One history from its seed: people work, things go wrong, all is healed, and every promise is looked at. To be called from a
 * task of Node's own loop, not from within a promise: it runs every promise itself.
 */
export function runHistory(seed: number, { mix, cast, keepTrace = false }: HistoryOptions = {}): Outcome {
  count += 1;
  const folder = path.join(ROOT, String(count));
  const world = new World(seed, { ...castOf(seeded(seed ^ 0x5eed)), ...cast }, folder, `sim${count}`, keepTrace);
  const restore = world.loop.install((n) => world.random.bytes(n));
  let violation: string | null = null;
  world.loop.onThrown = (life, error) => {
    // A program that was ended inside a step is left by throwing.
    if (life?.alive !== false) violation ??= wordsOf(error);
  };
  const steps = new Steps(world, { ...MIX, ...mix });
  try {
    steps.begin();
    const most = 12 + world.random.below(22);
    for (let i = 0; i < most && violation === null; i++) steps.one();
    if (violation === null) new Healing(world, steps).run();
    if (violation === null) new Judge(world).run();
  } catch (error) {
    violation ??= wordsOf(error);
  } finally {
    for (const node of world.nodes()) node.running?.life.end();
    // What libraries keep for a while they let go of.
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
