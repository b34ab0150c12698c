import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byDepth } from '../../support/depth';
import { runSeed } from '../../support/seed';
import { report, runCampaign } from './campaign';
import type { CampaignOptions, CampaignResult } from './campaign';
import { endLiving } from './edge-process';
import type { Recording } from './recording';
import { recordDeathInCommit, recordDeathsInUpload, recordDefect, recordSecondCut, recordVoyage } from './scenarios';
import { requireStrace } from './strace';
import { tally } from '../../support/tally';

const seed = runSeed();
const folders: string[] = [];

/** Distinct disks of the voyage: all that the release checks, or those of a fresh share of its cuts. */
const VOYAGE = byDepth({ commit: { disks: 500, every: 96, workers: 2 }, release: { disks: 20_000, every: 1 } });
/** Boxes killed in a commit, killed in an upload, and cut twice: likewise. For few disks a process costs more than it helps. */
const COMMIT = byDepth({ commit: { disks: 120, every: 12, workers: 1 }, release: { disks: 300, every: 1 } });
const UPLOAD = byDepth({ commit: { disks: 120, every: 60, workers: 1 }, release: { disks: 600, every: 6 } });
const SECOND_CUT = byDepth({ commit: { disks: 120, every: 40, workers: 1 }, release: { disks: 600, every: 4 } });

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'power-cut-')));
  folders.push(folder);
  return folder;
}

async function campaign(
  name: string,
  recording: Recording,
  options: Pick<CampaignOptions, 'recording' | 'disks'> & Partial<CampaignOptions>,
): Promise<CampaignResult> {
  const result = await runCampaign({ seed, bootEvery: 20, violations: 5, ...options });
  tally('disk states after a power cut', result.disks);
  console.log(report(name, recording.history.cuts.length, result));
  return result;
}

const words = ({ violations }: CampaignResult): string[] => violations.flatMap(({ problems }) => problems);

beforeAll(requireStrace);
afterAll(() => {
  endLiving();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('protocol: durable before any receipt: a power cut leaves no receipt without data', () => {
  let voyage: Recording;

  it('a voyage with photographs over socket and HTTP, a kill and two tablets survives', async () => {
    const folder = newFolder();
    voyage = await recordVoyage(folder);
    expect(voyage.given.length).toBeGreaterThanOrEqual(12);
    const result = await campaign('a voyage', voyage, { recording: folder, ...VOYAGE, bootEvery: 50 });
    expect(words(result)).toEqual([]);
    expect(result.disks).toBeGreaterThanOrEqual(VOYAGE.disks);
  }, 900_000);

  it('data of a commit cut before its fsync gets no receipt from the kernel’s memory', async () => {
    const folder = newFolder();
    const made = await recordDeathInCommit(folder);
    const result = await campaign('death in a commit', made.recording, { recording: made.folder, ...COMMIT });
    expect(words(result)).toEqual([]);
    expect(result.owed).toBeGreaterThan(0);
  });

  it('a box killed at seven places between a disk change and its fsync recovers', async () => {
    const folder = newFolder();
    const recording = await recordDeathsInUpload(folder);
    const result = await campaign('deaths in an upload', recording, {
      recording: folder,
      ...UPLOAD,
      bootEvery: 50,
      from: recording.history.departures[2]?.start ?? 0,
    });
    expect(words(result)).toEqual([]);
    expect(result.owed).toBeGreaterThan(0);
  });

  it('a second power cut during and after recovery from the first is survived', async () => {
    const folder = newFolder();
    const recording = await recordSecondCut(folder, voyage, seed);
    expect(recording.before.length).toBeGreaterThan(5);
    const result = await campaign('a second cut', recording, { recording: folder, ...SECOND_CUT, bootEvery: 50 });
    expect(words(result)).toEqual([]);
  });
});

describe('the power-cut proof fails on planted defects', () => {
  it.each([
    ['with synchronous=NORMAL', 'synchronous-normal', 'profile', /receipt is not in the store/],
    ['with the fsync of a blob’s folder left out', 'no-blob-folder-fsync', 'image', /bytes are not at their address/],
    [
      'with the fsync of every folder left out',
      'no-folder-fsync',
      'profile',
      /the key that signed it is no longer published/,
    ],
    ['with the receipt before the commit', 'receipt-before-commit', 'profile', /receipt is not in the store/],
  ] as const)('%s', async (name, defect, kind, problem) => {
    const folder = newFolder();
    const recording = await recordDefect(folder, defect);
    // Cuts before the first receipt at risk find nothing.
    const first = recording.given.find(({ op }) => op.kind === kind)?.receipt.sig;
    const from = recording.history.departures.find(({ sig }) => sig === first)?.start ?? 0;
    const result = await campaign(name, recording, {
      recording: folder,
      disks: 2000,
      violations: 1,
      from,
      // The first disks show it.
      workers: 1,
    });
    expect(words(result).join('\n')).toMatch(problem);
  });
});
