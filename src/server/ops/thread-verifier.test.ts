import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROGRAM, WITH_PACKAGES } from '../../../scripts/build-servers.mjs';
import type { PublicKey } from '../../protocol/receipt';
import { ReceiptSigner, verifySignature } from './receipt-signer';
import { ThreadVerifier } from './thread-verifier';

/** Checks of a bridge's batch: enough for the thread. */
const MANY = 200;

let folder: string;
let program: string;
let cases: readonly (readonly [PublicKey, string, string, boolean])[];
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'reef-verifier-'));
  const entry = fileURLToPath(new URL('./signature-program.ts', import.meta.url));
  program = path.join(folder, 'signature-program.mjs');
  await build({ ...PROGRAM, ...WITH_PACKAGES, entryPoints: [entry], outfile: program, outExtension: {} });
  const signer = await ReceiptSigner.open(path.join(folder, 'key.json'));
  const { x } = (await ReceiptSigner.open(path.join(folder, 'other.json'))).publicKey;
  const sig = signer.sign('text');
  cases = [
    [signer.publicKey, sig, 'text', true],
    [signer.publicKey, sig, 'text ', false],
    [signer.publicKey, sig.slice(2), 'text', false],
    [{ ...signer.publicKey, x }, sig, 'text', false],
    [{ ...signer.publicKey, x: 'short' }, sig, 'text', false],
  ];
});
afterAll(() => rmSync(folder, { recursive: true }));

let verifier: ThreadVerifier;
let reported: Error[];
const newVerifier = (start?: () => Worker): ThreadVerifier =>
  (verifier = new ThreadVerifier((error) => void reported.push(error), start));
beforeEach(() => void (reported = []));
afterEach(() => verifier.close());

/** Verifies `count` of the cases in one turn and compares each answer with the expected one. */
async function verifyTogether(count: number): Promise<void> {
  const asked = Array.from({ length: count }, (_, n) => cases[n % cases.length]!);
  const answers = await Promise.all(asked.map(([key, sig, text]) => verifier.verify(key, sig, text)));
  expect(answers).toEqual(asked.map(([, , , isValid]) => isValid));
}

describe('protocol: device keys: verification in threads', () => {
  it.each([1, 5, MANY])('%i together agree with verification in the main thread', async (count) => {
    newVerifier(() => new Worker(program));
    for (const [key, sig, text, isValid] of cases) expect(verifySignature(key, sig, text)).toBe(isValid);
    await verifyTogether(count);
    expect(reported).toEqual([]);
  });

  it.each([30, MANY])('%i checks of one turn of the event loop are answered in one turn', async (count) => {
    newVerifier(() => new Worker(program));
    let turns = 0;
    let isRunning = true;
    const countTurns = (): void => {
      turns += 1;
      if (isRunning) setImmediate(countTurns);
    };
    countTurns();
    const [key, sig, text] = cases[0]!;
    const answeredIn = await Promise.all(
      Array.from({ length: count }, () => verifier.verify(key, sig, text).then(() => turns)),
    );
    isRunning = false;
    expect(new Set(answeredIn).size).toBe(1);
  });

  it('batches in a row are each answered, with one thread', async () => {
    let started = 0;
    newVerifier(() => {
      started += 1;
      return new Worker(answerAll, { eval: true });
    });
    const [key, sig, text] = cases[1]!;
    const batches: Promise<boolean[]>[] = [];
    for (const count of [MANY, 40, MANY]) {
      batches.push(Promise.all(Array.from({ length: count }, () => verifier.verify(key, sig, text))));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await Promise.all(batches)).flat()).toEqual(Array.from({ length: 2 * MANY + 40 }, () => true));
    expect(started).toBe(1);
  });

  it('a thread that ends in its work is replaced, and the pool checks what it owed', async () => {
    const programs = ["require('node:worker_threads').parentPort.on('message', () => process.exit(3))", answerAll];
    let started = 0;
    newVerifier(() => new Worker(programs[started++] ?? answerAll, { eval: true }));
    await verifyTogether(MANY);
    expect(started).toBe(1);
    const [key, sig, text] = cases[1]!;
    const answers = await Promise.all(Array.from({ length: MANY }, () => verifier.verify(key, sig, text)));
    expect([started, answers.every(Boolean)]).toEqual([2, true]);
    expect(reported.map(({ message }) => message)).toEqual(['the thread that checks signatures ended with 3']);
  });

  it('without a built program the pool checks', async () => {
    newVerifier();
    await verifyTogether(MANY);
  });

  it('closing it leaves no check unanswered', async () => {
    newVerifier(() => new Worker(program));
    const checks = verifyTogether(MANY);
    await new Promise((resolve) => setImmediate(resolve));
    await verifier.close();
    await checks;
    await verifyTogether(MANY);
    expect(reported).toEqual([]);
  });
});

/** Program that calls every signature valid: its answers show that it was asked. */
const answerAll =
  "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (batch) => parentPort.postMessage(batch.map(() => true)))";
