// The rival: the reference server for resumable uploads with its file store, as its own guide sets it up. It never calls
// fsync and hashes nothing; `BENCH_FOLDER` is where it writes.
import { createServer } from 'node:http';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import { announce } from './ready';

const tus = new Server({ path: '/files', datastore: new FileStore({ directory: process.env['BENCH_FOLDER'] ?? '' }) });
announce(createServer((request, response) => void tus.handle(request, response)));
