import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { POSTGRES_OF_RUN, ownServer } from './postgres';

/**
 * One PostgreSQL for all files of a run (vitest's `globalSetup`): started when the first file asks for its address on a socket,
 * ended with the run.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-run-'));
  const place = path.join(folder, 'ask');
  let started: ReturnType<typeof ownServer> | undefined;
  const asked = net.createServer((socket) => {
    socket.on('error', () => undefined);
    started ??= ownServer();
    started.then(
      ({ url }) => socket.end(url),
      (error: unknown) => socket.end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => asked.listen(place, resolve));
  process.env[POSTGRES_OF_RUN] = place;
  return async () => {
    delete process.env[POSTGRES_OF_RUN];
    await new Promise((resolve) => asked.close(resolve));
    await started?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
    await rm(folder, { recursive: true, force: true });
  };
}
