import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { benchFolder, removeFolder, startChild } from './child';
import type { Contestant, Turn } from './harness';
import { LeanHttp } from './lean-http';
import { makePhotographs, type Photograph } from './photographs';
import { cpuSecondsOf } from './process-tree';

/** Client of an intake server: sends one photograph after the other. */
export interface Sender {
  /** Settles when the server has confirmed the photograph. */
  send(photograph: Photograph): Promise<void>;
  close(): void;
}

/** Server under test, in its own process, with an empty folder on disk. */
export interface IntakeServer {
  readonly name: string;
  readonly pid: number;
  readonly folder: string;
  openSender(): Promise<Sender>;
  stop(): Promise<void>;
}

/**
 * Starts one of the rivals.
 *
 * @param entry its program, from the project's top
 * @param openSender client for the origin that it listens on
 */
export async function startRival(
  name: string,
  entry: string,
  openSender: (origin: string) => Promise<Sender>,
): Promise<IntakeServer> {
  const folder = await benchFolder(name);
  const child = await startChild<string>(entry, { BENCH_FOLDER: folder });
  return {
    name,
    pid: child.pid,
    folder,
    openSender: () => openSender(child.ready),
    async stop() {
      await child.stop();
      await removeFolder(folder);
    },
  };
}

/** `@tus/server` with `@tus/file-store`. */
export function startTus(): Promise<IntakeServer> {
  return startRival('tus', 'tests/bench/rivals/tus.ts', openTusSender);
}

/** Plain streaming POST with fdatasync. */
export function startStreamingPost(): Promise<IntakeServer> {
  return startRival('POST + fdatasync', 'tests/bench/rivals/streaming-post.ts', openPostSender);
}

/** Speaks tus 1.0.0 as its own client does by default: a creation, then one PATCH with all bytes. */
async function openTusSender(origin: string): Promise<Sender> {
  const http = await LeanHttp.open(origin);
  const version = { 'Tus-Resumable': '1.0.0' };
  return {
    async send({ bytes, parts }) {
      const created = await http.request('POST', '/files', { ...version, 'Upload-Length': String(bytes) });
      expectStatus('tus creation', created.status, 201);
      const target = new URL(created.headers.get('location') ?? '', origin).pathname;
      const patched = await http.request(
        'PATCH',
        target,
        { ...version, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
        parts,
      );
      expectStatus('tus PATCH', patched.status, 204);
      if (patched.headers.get('upload-offset') !== String(bytes)) throw new Error('tus did not take all bytes');
    },
    close: () => http.close(),
  };
}

async function openPostSender(origin: string): Promise<Sender> {
  const http = await LeanHttp.open(origin);
  return {
    async send({ parts }) {
      const { status } = await http.request('POST', '/', { 'Content-Type': 'application/octet-stream' }, parts);
      expectStatus('streaming POST', status, 201);
    },
    close: () => http.close(),
  };
}

export function expectStatus(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${status} instead of ${expected}`);
}

const run = promisify(execFile);

/**
 * Contestant that receives `photographs` new photographs per turn from `clients` at once. Waits for pending disk writes
 * before the clock starts, so that no turn pays for another's write-back.
 *
 * @param emptied true for a server whose files may be removed between turns
 */
export function intakeContestant(
  name: string,
  server: IntakeServer,
  load: { clients: number; photographs: number },
  openSender = () => server.openSender(),
): Contestant {
  return {
    name,
    async turn(): Promise<Turn> {
      const queue = makePhotographs(load.photographs).slice();
      const senders = await Promise.all(Array.from({ length: load.clients }, () => openSender()));
      await run('sync', ['-f', server.folder]);
      const cpuBefore = cpuSecondsOf(server.pid);
      const start = performance.now();
      await Promise.all(senders.map((sender) => sendAll(sender, queue)));
      const seconds = (performance.now() - start) / 1000;
      const cpuSeconds = cpuSecondsOf(server.pid) - cpuBefore;
      for (const sender of senders) sender.close();
      return { seconds, cpuSeconds };
    },
  };
}

async function sendAll(sender: Sender, queue: Photograph[]): Promise<void> {
  for (let photograph = queue.pop(); photograph; photograph = queue.pop()) await sender.send(photograph);
}
