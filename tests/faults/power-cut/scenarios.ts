import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbePoint } from '../../../src/server/ops/probe';
import { crashStates } from './crash-plan';
import type { Defect, TracedEdge } from './edge-process';
import { EndedAtStart, startTracedEdge } from './edge-process';
import { diskAfterCut, KEPT } from './power-cut-disk';
import { checkComplete, layBase, loadRecording, recordingFolder, saveGiven } from './recording';
import type { Given, Recording } from './recording';
import type { TracedCall } from './trace-lines';
import { parseTrace } from './trace-lines';
import type { Tree } from './tree';
import { readTree } from './tree';
import { SIZES, Tablet } from './workload';

const EMPTY: Tree = { folders: [], files: new Map() };
const { short, one, two, three } = SIZES;

/** Photographs are stored next to the recorded disk, not on it. */
const photographs = (folder: string): string => join(folder, 'photographs');

function finish(folder: string, runs: number, tablets: readonly Tablet[], before: readonly Given[] = []): Recording {
  saveGiven(folder, {
    runs,
    before,
    given: tablets
      .flatMap((tablet) => tablet.given())
      .filter(({ receipt }) => !before.some((known) => known.receipt.sig === receipt.sig)),
  });
  const recording = loadRecording(folder);
  checkComplete(folder, recording);
  return recording;
}

/**
 * Records a voyage in three runs of the box: the first start and a clean stop; a kill in the middle of a photograph;
 * the next start, with two tablets that send at once, until the last kill.
 */
export async function recordVoyage(folder: string): Promise<Recording> {
  layBase(folder, EMPTY);
  const [ada, ben] = [new Tablet('ada', photographs(folder)), new Tablet('ben', photographs(folder))];
  const first = await startTracedEdge(folder, 0);
  await ada.begin(first.url, first.code);
  await ada.send(first.url, [short, three]);
  await ada.edit(first.url, 'North wall, deep');
  await ada.send(first.url, [two], 'http');
  await first.stop();

  const second = await startTracedEdge(folder, 1);
  await ada.send(second.url, [one]);
  await ada.sendUntil(second.url, three, 3, () => process.kill(second.pid, 'SIGKILL'));
  await second.gone;

  const third = await startTracedEdge(folder, 2);
  await ben.begin(third.url, third.code);
  await Promise.all([ada.resume(third.url), ben.send(third.url, [two, short])]);
  await Promise.all([ada.edit(third.url, 'North wall, shallow'), ben.edit(third.url, 'South wall')]);
  await third.kill();
  return finish(folder, 3, [ada, ben]);
}

/** Records a short run of a box with a planted defect. */
export async function recordDefect(folder: string, defect: Defect): Promise<Recording> {
  layBase(folder, EMPTY);
  const tablet = new Tablet('ada', photographs(folder));
  const edge = await startTracedEdge(folder, 0, { defect });
  await tablet.begin(edge.url, edge.code);
  await tablet.send(edge.url, [short, two]);
  await tablet.edit(edge.url, 'North wall, deep');
  await edge.kill();
  return finish(folder, 1, [tablet]);
}

/**
 * Records a box that dies while it commits: the commit is in the kernel's memory without an fsync, and the next start
 * finds it there. The tablet asks again for the receipt it never got, and the power fails.
 */
export async function recordDeathInCommit(folder: string): Promise<{ folder: string; recording: Recording }> {
  const made = join(folder, 'made');
  layBase(made, EMPTY);
  const ada = new Tablet('ada', photographs(folder));
  const first = await startTracedEdge(made, 0);
  await ada.begin(first.url, first.code);
  await first.stop();
  const before = ada.given();
  const base = readTree(recordingFolder(made).disk);
  const usual = await rehearseCommit(join(folder, 'rehearsal'), base, ada.copy());
  // The order of the box's own small writes may vary slightly; which fsync it was is checked afterwards.
  for (const fsync of [usual, usual + 1, usual - 1, usual + 2, usual + 3]) {
    const place = join(folder, String(fsync));
    layBase(place, base);
    const tablet = ada.copy();
    const edge = await startOrDie(place, 0, { killAtFsync: fsync });
    if (edge === 'died') continue;
    await tablet.editUntilGone(edge.url, edge.gone);
    if (!diedCommitting(place)) continue;
    const again = await startTracedEdge(place, 1);
    await tablet.resume(again.url);
    await again.kill();
    return { folder: place, recording: finish(place, 2, [tablet], before) };
  }
  throw new Error('No fsync of a commit was met.');
}

/** Points between a change of the disk and the fsync that makes it durable. */
const DEATHS: readonly ProbePoint[] = [
  'blob.after-write',
  'blob.after-sidecar-fsync',
  'blob.after-journal-sync',
  'blob.after-mkdir',
  'blob.after-rename',
  'blob.after-shard-fsync',
  'append.after-commit',
];

/**
 * Records a box that dies at each of these points in turn during an upload, and is restarted. The next run finds in the
 * kernel's memory what no fsync covered, continues from there, returns receipts, and then the power fails.
 */
export async function recordDeathsInUpload(folder: string): Promise<Recording> {
  layBase(folder, EMPTY);
  const tablet = new Tablet('ada', photographs(folder));
  const first = await startTracedEdge(folder, 0);
  await tablet.begin(first.url, first.code);
  await first.kill();
  for (const [place, diesAt] of DEATHS.entries()) {
    const edge = await startOrDie(folder, place + 1, { diesAt });
    // Uploads that the previous run left whole are finished at the start, past the same points.
    if (edge === 'died') continue;
    await tablet.sendUntilGone(edge.url, two + place, edge.gone);
  }
  const last = await startTracedEdge(folder, DEATHS.length + 1);
  await tablet.resume(last.url);
  await last.kill();
  return finish(folder, DEATHS.length + 2, [tablet]);
}

/** Starts a box that may die at its start, if a planted death is that early. */
async function startOrDie(
  folder: string,
  run: number,
  options: { killAtFsync?: number; diesAt?: ProbePoint },
): Promise<TracedEdge | 'died'> {
  try {
    return await startTracedEdge(folder, run, options);
  } catch (error) {
    if (error instanceof EndedAtStart && error.killed) return 'died';
    throw error;
  }
}

const LOG_IN_TRACE = Buffer.from('census.sqlite-wal').toString('hex').replace(/../g, '\\x$&');

/** Calls on the operation log, each with its number among the fsyncs of its thread. */
function callsOnLog(folder: string): { call: TracedCall; fsync: number }[] {
  const counts = new Map<number, number>();
  const calls = parseTrace(readFileSync(recordingFolder(folder).trace(0), 'latin1'));
  const counted = calls.map((call) => {
    const fsync = (counts.get(call.pid) ?? 0) + (call.name === 'fsync' ? 1 : 0);
    counts.set(call.pid, fsync);
    return { call, fsync };
  });
  return counted.filter(({ call }) => call.args[0]?.includes(LOG_IN_TRACE) === true);
}

/** An operation in the log, not only its header of 32 bytes. */
const isOperation = (call: TracedCall | undefined): boolean => call?.name === 'pwrite64' && Number(call.args[3]) >= 32;

/** Number, among the fsyncs of its thread, of the one that makes the first operation of a run durable. */
async function rehearseCommit(folder: string, base: Tree, tablet: Tablet): Promise<number> {
  layBase(folder, base);
  const edge = await startTracedEdge(folder, 0);
  await tablet.edit(edge.url, 'Rehearsal');
  await edge.kill();
  const calls = callsOnLog(folder);
  const found = calls.find(({ call }, at) => call.name === 'fsync' && isOperation(calls[at - 1]?.call));
  if (found === undefined) throw new Error('The box committed nothing in the rehearsal.');
  return found.fsync;
}

/** True if the killed run last began an fsync of the operation log with an operation in it. */
function diedCommitting(folder: string): boolean {
  const [write, fsync] = callsOnLog(folder).slice(-2);
  return isOperation(write?.call) && fsync?.call.name === 'fsync' && fsync.call.end === undefined;
}

/**
 * Records a second cut: the box starts on a disk left by a power cut, recovers, receives what the tablet still owes,
 * and the power fails again. Receipts from before the first cut are owed throughout.
 */
export async function recordSecondCut(folder: string, earlier: Recording, seed: number): Promise<Recording> {
  const { history } = earlier;
  // A cut after most receipts had left, and a disk with only some of the pending changes.
  const late = history.departures[Math.floor(history.departures.length * 0.7)]?.start ?? 0;
  for (const state of crashStates(history, seed)) {
    if (state.kind !== 'mixture' || state.event < late || state.pending.length < 4) continue;
    const gone = new Set(history.departures.filter(({ start }) => start <= state.event).map(({ sig }) => sig));
    const before = earlier.given.filter(({ receipt }) => gone.has(receipt.sig));
    layBase(
      folder,
      diskAfterCut(history, state.event, (op) => state.fates.get(op.index) ?? KEPT),
    );
    const edge = await startTracedEdge(folder, 0);
    const tablet = new Tablet('cleo', photographs(folder));
    await tablet.begin(edge.url, edge.code);
    await tablet.send(edge.url, [two]);
    await edge.kill();
    return finish(folder, 1, [tablet], before);
  }
  throw new Error('The plan has no disk to start from.');
}
