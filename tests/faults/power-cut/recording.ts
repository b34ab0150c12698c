import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Op, Receipt } from '../../independent/canonical';
import type { DiskHistory } from './disk-history';
import { diskAfterCut, DROPPED, KEPT } from './power-cut-disk';
import { historyOf } from './read-trace';
import { parseTrace } from './trace-lines';
import type { Tree } from './tree';
import { differences, readTree, writeTree } from './tree';

/** Client state: what it sent and the box's receipts for it. */
export interface Given {
  readonly op: Op;
  readonly receipt: Receipt;
}

/**
 * Where a recording lies: `disk/` is the recorded disk as its programs left it, `trace-<n>.txt` the calls of its runs,
 * `base/` what lay there before, `given.json` the receipts that clients hold.
 */
export interface RecordingFolder {
  readonly disk: string;
  readonly base: string;
  readonly early: string;
  readonly given: string;
  trace(run: number): string;
}

export function recordingFolder(folder: string): RecordingFolder {
  return {
    disk: join(folder, 'disk'),
    base: join(folder, 'base'),
    early: join(folder, 'early'),
    given: join(folder, 'given.json'),
    trace: (run) => join(folder, `trace-${run}.txt`),
  };
}

export interface Recording {
  readonly history: DiskHistory;
  readonly given: readonly Given[];
  /** Given before the recording began: owed at every cut. */
  readonly before: readonly Given[];
}

interface GivenFile {
  readonly runs: number;
  readonly given: readonly Given[];
  readonly before: readonly Given[];
}

/** Starts a recording on an empty disk, or on one that was found after an earlier power cut. */
export function layBase(folder: string, base: Parameters<typeof writeTree>[0]): void {
  const at = recordingFolder(folder);
  mkdirSync(folder, { recursive: true });
  writeTree(base, at.base);
  writeTree(base, at.disk);
}

export function saveGiven(folder: string, file: GivenFile): void {
  writeFileSync(recordingFolder(folder).given, JSON.stringify(file));
}

/** Reads a recording back. */
export function loadRecording(folder: string): Recording {
  const at = recordingFolder(folder);
  const { runs, given, before } = JSON.parse(readFileSync(at.given, 'utf8')) as GivenFile;
  const traces = Array.from({ length: runs }, (_, run) => parseTrace(readFileSync(at.trace(run), 'latin1')));
  return { history: historyOf(traces, { top: at.disk, early: at.early, base: readTree(at.base) }), given, before };
}

/**
 * What a history does not explain of the disk that its programs left behind; empty where it explains all. A call that a kill cut off has done
 * its work or has not: the trace cannot tell, the disk must be one of those.
 */
export function unexplained(history: DiskHistory, left: Tree): string[] {
  const cut = history.ops.filter(({ end }) => end === Infinity);
  let least: string[] | undefined;
  for (let undone = 0; undone < 2 ** Math.min(cut.length, CUT_OFF_MAX); undone++) {
    const fates = new Map(cut.map(({ index }, place) => [index, (undone >> place) & 1 ? DROPPED : KEPT]));
    const found = differences(
      diskAfterCut(history, Number.MAX_SAFE_INTEGER, ({ index }) => fates.get(index) ?? KEPT),
      left,
    );
    if (found.length === 0) return [];
    least ??= found;
  }
  return least ?? [];
}

/** Calls that one kill cuts off: one a thread. */
const CUT_OFF_MAX = 6;

/**
 * Checks that a recording holds all that happened: the disk made from it, with nothing lost, is the disk that the
 * programs left behind, byte for byte, and each receipt that a client holds was seen to leave.
 *
 * @throws Error with what is missing: then nothing that is rebuilt from it would prove anything
 */
export function checkComplete(folder: string, { history, given }: Recording): void {
  const found = unexplained(history, readTree(recordingFolder(folder).disk));
  if (found.length > 0) throw new Error(`The recording does not explain the disk: ${found.slice(0, 5).join('; ')}.`);
  const seen = new Set(history.departures.map(({ sig }) => sig));
  const unseen = given.filter(({ receipt }) => !seen.has(receipt.sig));
  if (unseen.length > 0)
    throw new Error(`The recording does not show ${unseen.length} of ${given.length} receipts leaving the box.`);
}
