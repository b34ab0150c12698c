// Program of the thread that builds archives of map tiles; started by `archive-thread.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import type { ArchiveRequest } from './build-archive';
import { buildArchive } from './build-archive';

parentPort?.postMessage(buildArchive(workerData as ArchiveRequest));
