// Rival: the reference server for resumable uploads with its file store, set up as in its own guide. It never calls
// fsync and hashes nothing; it writes to `BENCH_FOLDER`. With `BENCH_DURABLE` it does both, to promise what our cloud
// promises.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import { announce } from './ready';

const directory = process.env['BENCH_FOLDER'] ?? '';

/** Hashes the bytes, and syncs the file and its folder before the answer. */
class DurableFileStore extends FileStore {
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const hash = createHash('sha256');
    readable.on('data', (piece: Buffer) => hash.update(piece));
    const written = await super.write(readable as Parameters<FileStore['write']>[0], id, offset);
    hash.digest('hex');
    for (const [place, flags] of [
      [path.join(directory, id), 'r+'],
      [directory, 'r'],
    ] as const) {
      const file = await open(place, flags);
      await file.sync();
      await file.close();
    }
    return written;
  }
}

const tus = new Server({
  path: '/files',
  datastore:
    process.env['BENCH_DURABLE'] === undefined ? new FileStore({ directory }) : new DurableFileStore({ directory }),
});
announce(createServer((request, response) => void tus.handle(request, response)));
