import { defineConfig } from 'vitest/config';

/**
 * Three projects: `unit` (beside the source, conformance and integration; fake-indexeddb in Node), `faults` (kills, cuts,
 * power cuts, full disks: real processes) and `e2e` (Debian's Chromium against a real edge). None asserts on time.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}', 'edge-server/**/*.test.ts', 'tests/conformance/**/*.test.ts', 'tests/integration/**/*.test.ts', 'tests/independent/**/*.test.ts', 'tests/support/**/*.test.ts', 'tests/checks/**/*.test.ts'],
          environment: 'node',
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: 'faults', include: ['tests/faults/**/*.test.ts'], environment: 'node', testTimeout: 300_000, hookTimeout: 60_000, fileParallelism: false },
      },
      {
        extends: true,
        // Two at a time: a browser waits more than it works.
        test: { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], environment: 'node', testTimeout: 180_000, hookTimeout: 120_000, maxWorkers: 2 },
      },
    ],
  },
});
