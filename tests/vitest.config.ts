import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Slow files, slowest first: started last, one would run alone while the other worker idles. */
const LONGEST = [
  'tests/simulation/simulation.test.ts',
  'tests/simulation/defects.test.ts',
  'tests/faults/power-cut/power-cut.test.ts',
  'tests/faults/tab-kills.test.ts',
  'tests/faults/kills.test.ts',
  'tests/faults/cuts.test.ts',
  'tests/faults/bridge.test.ts',
  'tests/faults/cuts-tablet.test.ts',
  'tests/e2e/start.test.ts',
  'tests/e2e/account/account.test.ts',
  'tests/e2e/capture.test.ts',
  'tests/e2e/accessibility.test.ts',
  'tests/e2e/analysis/tracing.test.ts',
  'tests/e2e/shell.test.ts',
  'tests/e2e/custody.test.ts',
  'tests/e2e/chain.test.ts',
  'tests/e2e/ashore.test.ts',
  'tests/e2e/survey.test.ts',
  'tests/e2e/box.test.ts',
  'tests/e2e/analysis/tracing-ashore.test.ts',
  'tests/e2e/analysis/training.test.ts',
  'tests/e2e/ui-controls.test.ts',
  'tests/e2e/keyboard.test.ts',
  'tests/conformance/pg-append-store.test.ts',
  'tests/attacks/pictures.test.ts',
  'tests/integration/tablet/sender.test.ts',
  'tests/integration/tablet/puller-attacks.test.ts',
  'tests/integration/chain/cards.test.ts',
  'src/imaging/quality/measure-quality.test.ts',
  'tests/integration/edge/tiles.test.ts',
  'tests/integration/edge/process.test.ts',
];

const SERVERS = [
  'tests/attacks/**/*.test.ts',
  'tests/conformance/**/*.test.ts',
  'tests/integration/**/*.test.ts',
  'tests/independent/**/*.test.ts',
  'tests/attacks/**/*.test.ts',
  'tests/support/**/*.test.ts',
];
/** Tests with the data layer of tablets. */
const TABLETS = [
  'tests/integration/tablet/**/*.test.ts',
  'tests/integration/chain/**/*.test.ts',
  'tests/integration/bridge/cloud.test.ts',
];

/** Orders the files of a run: those above first, the others as they come. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((place) => moduleId.endsWith(`/${place}`));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * Seven projects: `unit` (beside the source), `servers` (with conformance), `integration` (tablets and servers; fake-indexeddb in Node), `simulation` (histories of the
 * whole chain, in memory), `faults` (kills, cuts, power cuts, full disks: real processes), `e2e` (Debian's Chromium against a real edge) and `engines` (a journey in
 * Firefox and WebKitGTK). None asserts on time.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    reporters: ['default'],
    globalSetup: ['tests/support/postgres/postgres-server.ts'],
    sequence: { sequencer: LongestFirst },
    // Screens follow at the machine's speed; the default of a thousand ms would test time.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.{ts,tsx}',
            'edge-server/**/*.test.ts',
            'cloud-sync/**/*.test.ts',
            'tests/checks/**/*.test.ts',
          ],
          environment: 'node',
          testTimeout: 60_000,
          // Small files of pure code: a process for each, loading the same modules again, took longer than the tests.
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: SERVERS,
          exclude: TABLETS,
          environment: 'node',
          // Nothing here tests speed, and a machine with two tasks may take long over either.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Each test has stores of its own; loading the servers took a second of a core for each file.
          isolate: false,
          // A test that waits for a server or a disk leaves a core to another one.
          maxWorkers: 2,
          setupFiles: ['tests/support/tablet/close-after-each.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: TABLETS,
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Each tablet has storage, locks and an origin of its own; loading its code took a second for each file.
          isolate: false,
          // They wait for servers as long as they work.
          maxWorkers: 4,
          setupFiles: ['tests/support/tablet/close-after-each.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        // Pure work: slow next to the browsers, which does not matter here.
        test: {
          name: 'simulation',
          include: ['tests/simulation/**/*.test.ts'],
          environment: 'node',
          testTimeout: 1_500_000,
          hookTimeout: 1_500_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        // Two at a time: each box, disk and tablet belongs to one test, and a proof that waits for a start leaves a
        // core to the other.
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          environment: 'node',
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        // Three at a time: a browser waits more than it works.
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          environment: 'node',
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // The files of a worker share its Chromium.
          isolate: false,
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        // One at a time: each draws with the processor what a graphics card draws on a tablet.
        test: {
          name: 'engines',
          include: ['tests/engines/**/*.test.ts'],
          environment: 'node',
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
