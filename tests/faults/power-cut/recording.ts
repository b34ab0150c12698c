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
 * Folder of a recording: `disk/` is the recorded disk as its programs left it, `trace-<n>.txt` the calls of its runs,
 * `base/` the content before, `given.json` the receipts that clients hold.
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
  /** Receipts from before the recording: owed at every cut. */
  readonly before: readonly Given[];
}

interface GivenFile {
  readonly runs: number;
  readonly given: readonly Given[];
  readonly before: readonly Given[];
}

/** Starts a recording on an empty disk, or on one found after an earlier power cut. */
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
 * Differences of the final disk that a history does not explain; empty if none. A call cut off by a kill may or may not
 * have taken effect: the trace cannot show it, so the disk must be one of those.
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

/** Maximum number of calls that one kill cuts off: one per thread. */
const CUT_OFF_MAX = 6;

/**
 * Checks that a recording is complete: the disk made from it without losses equals the disk that the programs left,
 * byte for byte, and each receipt that a client holds was seen to leave.
 *
 * @throws Error with what is missing: nothing rebuilt from it would prove anything
 */
export function checkComplete(folder: string, { history, given }: Recording): void {
  const found = unexplained(history, readTree(recordingFolder(folder).disk));
  if (found.length > 0) throw new Error(`The recording does not explain the disk: ${found.slice(0, 5).join('; ')}.`);
  const seen = new Set(history.departures.map(({ sig }) => sig));
  const unseen = given.filter(({ receipt }) => !seen.has(receipt.sig));
  if (unseen.length > 0)
    throw new Error(`The recording does not show ${unseen.length} of ${given.length} receipts leaving the box.`);
}
