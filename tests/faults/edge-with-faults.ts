/**
 * Production edge, composed by its own `buildEdge`, with faults named by the environment; its code is unchanged.
 *
 * - `KILL_POINT`, `KILL_PASS`: the process kills itself (SIGKILL) at that pass of that probe point.
 * - `FAIL_SYNC_AFTER_START`: that fsync or fdatasync after it listens fails with EIO, once.
 * - `SECONDS_AHEAD`: the box's clock is that far ahead.
 * - `SCRUB_STEP_MS`: pause of the scrub between two photographs.
 *
 * It reports `{port, code}` to its parent when it listens, and ends cleanly on SIGTERM.
 */
import { buildEdge } from '../../edge-server/app';
import { readSettings } from '../../edge-server/settings';
import { realDisk, type Disk } from '../../src/server/files/disk';
import type { Probe } from '../../src/server/ops/probe';

const { KILL_POINT, KILL_PASS, FAIL_SYNC_AFTER_START, SECONDS_AHEAD, SCRUB_STEP_MS } = process.env;
let listening = false;

function killer(): Probe {
  let passes = 0;
  return (point) => {
    if (point === KILL_POINT && ++passes === Number(KILL_PASS)) process.kill(process.pid, 'SIGKILL');
  };
}

function failingDisk(): Disk {
  let syncs = 0;
  const once = async (sync: () => Promise<void>): Promise<void> => {
    if (listening && ++syncs === Number(FAIL_SYNC_AFTER_START))
      throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
    await sync();
  };
  return {
    ...realDisk,
    fsync: (fd) => once(() => realDisk.fsync(fd)),
    fdatasync: (fd) => once(() => realDisk.fdatasync(fd)),
    fsyncDir: (folder) => once(() => realDisk.fsyncDir(folder)),
  };
}

async function main(): Promise<void> {
  const edge = await buildEdge(readSettings(process.env), {
    ...(KILL_POINT === undefined ? {} : { probe: killer() }),
    ...(FAIL_SYNC_AFTER_START === undefined ? {} : { disk: failingDisk() }),
    ...(SECONDS_AHEAD === undefined ? {} : { clock: () => Date.now() + Number(SECONDS_AHEAD) * 1000 }),
    ...(SCRUB_STEP_MS === undefined ? {} : { scrubStepMs: Number(SCRUB_STEP_MS) }),
  });
  process.once('SIGTERM', () => void edge.close().then(() => process.exit(0)));
  // A dead test must not leave boxes behind.
  process.once('disconnect', () => process.exit(1));
  const url = await edge.listen();
  listening = true;
  process.send?.({ port: Number(new URL(url).port), code: edge.context.pairing.code() });
}

void main();
