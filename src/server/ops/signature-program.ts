// Program of the thread that checks signatures; started by `thread-verifier.ts`.
import { parentPort } from 'node:worker_threads';
import { verifySignature } from './receipt-signer';
import type { SignatureBatch } from './thread-verifier';

parentPort?.on('message', (batch: SignatureBatch) => {
  parentPort?.postMessage(batch.map(({ key, sig, text }) => verifySignature(key, sig, text)));
});
