import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { workerHere } from '../../../tests/support/tablet/this-thread';
import type { SignaturesWorkerApi } from './signatures.api';
import { signatureVerifier } from './signatures';
import { verifySignature } from './verify-signature';

const MANY = 40;

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = { x: String(publicKey.export({ format: 'jwk' }).x) };
const signed = Array.from({ length: MANY }, (_, i) => ({
  text: `receipt ${i} – Ægir`,
  sig: sign(null, Buffer.from(`receipt ${i} – Ægir`), privateKey).toString('base64url'),
}));

const worker = (verifyAll: SignaturesWorkerApi['verifyAll']): Worker => workerHere({ verifyAll });

const work: SignaturesWorkerApi['verifyAll'] = ({ keys, sigs, texts }) =>
  Promise.all(texts.map((text, i) => verifySignature({ x: keys[i] ?? '' }, sigs[i] ?? '', text)));

test('architecture: heavy work runs in workers — signatures are checked in one batch', async () => {
  const verifyAll = vi.fn(work);
  const here = vi.fn(verifySignature);
  const verify = signatureVerifier(() => worker(verifyAll), here);
  const answers = await Promise.all(
    signed.map(({ text, sig }, i) => verify(key, i === 7 ? (signed[8]?.sig ?? '') : sig, i === 9 ? `${text} ` : text)),
  );
  expect(answers.flatMap((holds, i) => (holds ? [] : [i]))).toEqual([7, 9]);
  expect([verifyAll.mock.calls.length, here.mock.calls.length]).toEqual([1, 0]);
});

test('architecture: heavy work runs in workers — a few signatures are checked without one', async () => {
  const verify = signatureVerifier(() => {
    throw new Error('no worker was wanted');
  });
  const [first, second] = signed;
  expect(
    await Promise.all([
      verify(key, first?.sig ?? '', first?.text ?? ''),
      verify(key, first?.sig ?? '', second?.text ?? ''),
      verify({ x: 'short' }, first?.sig ?? '', first?.text ?? ''),
    ]),
  ).toEqual([true, false, false]);
});

test.each([
  [
    'does not start',
    () => {
      throw new Error('no such file');
    },
  ],
  ['breaks down', () => worker(() => Promise.reject(new Error('broken')))],
  ['does not answer', () => worker(() => Promise.resolve([]))],
] satisfies [string, () => Worker][])(
  'protocol: a receipt counts once verified — if the worker %s it is verified here',
  async (_what, start) => {
    const verify = signatureVerifier(start);
    const answers = await Promise.all(
      signed.map(({ text, sig }, i) => verify(key, sig, i === 3 ? 'another text' : text)),
    );
    expect(answers.flatMap((holds, i) => (holds ? [] : [i]))).toEqual([3]);
  },
);

test('protocol: a browser without Ed25519 does not make a receipt count as forged', async () => {
  const lacking = () => Promise.reject(new DOMException('Ed25519', 'NotSupportedError'));
  const verify = signatureVerifier(() => worker(lacking), lacking);
  const answers = await Promise.allSettled(signed.map(({ text, sig }) => verify(key, sig, text)));
  expect(
    answers.every(
      (answer) => answer.status === 'rejected' && (answer.reason as DOMException).name === 'NotSupportedError',
    ),
  ).toBe(true);
});
