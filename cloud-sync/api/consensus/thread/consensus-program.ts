// Program of the thread that computes consensus and skill; started by `consensus-thread.ts`.
import { parentPort } from 'node:worker_threads';
import { ConsensusWork } from './consensus-work';
import type { ThreadRequest } from './consensus-work';

const work = new ConsensusWork();

parentPort?.on('message', (request: ThreadRequest) => {
  parentPort?.postMessage(work.answer(request));
});
