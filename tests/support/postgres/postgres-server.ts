import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OwnServer, ServerKind } from './postgres';
import { SERVERS_OF_RUN, ownServer } from './postgres';

/**
 * Provides PostgreSQL to all files of a run (vitest's `globalSetup`), one server of each kind: started when the first
 * file requests its address on a socket, ended with the run.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-run-'));
  const ends = await Promise.all(
    (Object.keys(SERVERS_OF_RUN) as ServerKind[]).map((kind) => answering(kind, path.join(folder, kind))),
  );
  return async () => {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Serves the address of a server of one kind; returns a function that ends it. */
async function answering(kind: ServerKind, place: string): Promise<() => Promise<void>> {
  let started: Promise<OwnServer> | undefined;
  const asked = net.createServer((socket) => {
    socket.on('error', () => undefined);
    started ??= ownServer(kind);
    started.then(
      ({ url }) => socket.end(url),
      (error: unknown) => socket.end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => asked.listen(place, resolve));
  process.env[SERVERS_OF_RUN[kind]] = place;
  return async () => {
    delete process.env[SERVERS_OF_RUN[kind]];
    await new Promise((resolve) => asked.close(resolve));
    await started?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
  };
}
