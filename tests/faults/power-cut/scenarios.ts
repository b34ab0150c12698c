import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crashStates } from './crash-plan';
import type { Defect, TracedEdge } from './edge-process';
import { startTracedEdge } from './edge-process';
import { diskAfterCut, KEPT } from './power-cut-disk';
import { checkComplete, layBase, loadRecording, recordingFolder, saveGiven } from './recording';
import type { Given, Recording } from './recording';
import { parseTrace } from './trace-lines';
import type { Tree } from './tree';
import { readTree } from './tree';
import { SIZES, Tablet } from './workload';

const EMPTY: Tree = { folders: [], files: new Map() };
const { short, one, two, three } = SIZES;

/** Photographs lie beside the recorded disk, not on it. */
const photographs = (folder: string): string => join(folder, 'photographs');

function finish(folder: string, runs: number, tablets: readonly Tablet[], before: readonly Given[] = []): Recording {
  saveGiven(folder, { runs, before, given: tablets.flatMap((tablet) => tablet.given()).filter(({ receipt }) => !before.some((known) => known.receipt.sig === receipt.sig)) });
  const recording = loadRecording(folder);
  checkComplete(folder, recording);
  return recording;
}

/**
 * A voyage in three runs of the box: the first start, a clean stop; a kill in the middle of a photograph; the start after
 * it, with two tablets that send at once, until the last kill.
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

/** A short run of a box with something wrong on purpose. */
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
 * A box that dies while it commits: what it committed lies in the kernel's memory, no fsync had returned, and the next
 * start finds it there. The tablet asks again for the receipt it never got, and the power goes.
 */
export async function recordDeathInCommit(folder: string): Promise<Recording> {
  const made = join(folder, 'made');
  layBase(made, EMPTY);
  const ada = new Tablet('ada', photographs(folder));
  const first = await startTracedEdge(made, 0);
  await ada.begin(first.url, first.code);
  await first.stop();
  const before = ada.given();
  const base = readTree(recordingFolder(made).disk);
  for (let fsync = 1; fsync <= 20; fsync++) {
    const place = join(folder, String(fsync));
    layBase(place, base);
    const tablet = ada.copy();
    let edge: TracedEdge;
    try {
      edge = await startTracedEdge(place, 0, { killAtFsync: fsync });
    } catch {
      continue; // It died before it listened: a later fsync is meant.
    }
    await tablet.editUntilGone(edge.url, edge.gone);
    if (!diedCommitting(place)) continue;
    const again = await startTracedEdge(place, 1);
    await tablet.resume(again.url);
    await again.kill();
    return finish(place, 2, [tablet], before);
  }
  throw new Error('No fsync of a commit was met.');
}

/** Whether the last thing that the killed run began was to fsync the log of the operations, with an operation in it. */
function diedCommitting(folder: string): boolean {
  const log = Buffer.from('census.sqlite-wal').toString('hex').replace(/../g, '\\x$&');
  const calls = parseTrace(readFileSync(recordingFolder(folder).trace(0), 'latin1')).filter(({ args }) => args[0]?.includes(log) === true);
  const [write, fsync] = calls.slice(-2);
  const afterHeader = write?.name === 'pwrite64' && Number(write.args[3]) >= 32;
  return afterHeader && fsync?.name === 'fsync' && fsync.end === undefined;
}

/**
 * The box starts on a disk that a power cut left, recovers, takes what the tablet still owes, and the power goes again:
 * what is owed from before the first cut is owed all the while.
 */
export async function recordSecondCut(folder: string, earlier: Recording, seed: number): Promise<Recording> {
  const { history } = earlier;
  // A cut after most receipts had left, and a disk on which some of what was pending is there and some is not.
  const late = history.departures[Math.floor(history.departures.length * 0.7)]?.start ?? 0;
  for (const state of crashStates(history, seed)) {
    if (state.kind !== 'mixture' || state.event < late || state.pending.length < 4) continue;
    const gone = new Set(history.departures.filter(({ start }) => start <= state.event).map(({ sig }) => sig));
    const before = earlier.given.filter(({ receipt }) => gone.has(receipt.sig));
    layBase(folder, diskAfterCut(history, state.event, (op) => state.fates.get(op.index) ?? KEPT));
    const edge = await startTracedEdge(folder, 0);
    const tablet = new Tablet('cleo', photographs(folder));
    await tablet.begin(edge.url, edge.code);
    await tablet.send(edge.url, [two]);
    await edge.kill();
    return finish(folder, 1, [tablet], before);
  }
  throw new Error('The plan has no disk to start from.');
}
