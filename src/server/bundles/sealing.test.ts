import { randomBytes } from 'node:crypto';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { seal, unseal } from './sealing';

let identity = '';
let recipient = '';
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

async function* parts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of stream) all.push(part);
  return Buffer.concat(all);
}

async function sealed(bytes: Uint8Array, size = 50_000): Promise<Buffer> {
  const { stream, bytes: length } = await seal(recipient, parts(bytes, size), bytes.length);
  const file = await whole(stream);
  expect(file.length).toBe(length);
  return file;
}

const open = (file: Uint8Array, size = 10_000, keys = [identity]) => whole(unseal(keys, parts(file, size)));

const P = 64 * 1024;

describe('protocol, Sealed bundle: the seal', () => {
  it.each([0, 1, P - 1, P, P + 1, 3 * P, 3 * P + 7])(
    'protocol, Sealed bundle: %i bytes round-trip as an age file, with the library too',
    async (length) => {
      const bytes = randomBytes(length);
      const file = await sealed(bytes);
      expect((await open(file)).equals(bytes)).toBe(true);
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      expect(Buffer.from(await decrypter.decrypt(file)).equals(bytes)).toBe(true);
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      expect((await open(await encrypter.encrypt(bytes))).equals(bytes)).toBe(true);
    },
  );

  it('protocol, Sealed bundle: a bundle in parts of any size round-trips', async () => {
    const bytes = randomBytes(2 * P + 100);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 400, max: 200_000 }),
        fc.integer({ min: 400, max: 200_000 }),
        async (write, read) => {
          expect((await open(await sealed(bytes, write), read)).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('protocol, Sealed bundle: a truncated or altered file does not open', async () => {
    const file = await sealed(randomBytes(2 * P));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: file.length - 1 }), async (at) => {
        await expect(open(file.subarray(0, at))).rejects.toMatchObject({
          code: 'bad-message',
          message: expect.stringMatching(/cut off|damaged|not a sealed bundle/) as string,
        });
      }),
      { numRuns: 60 },
    );
    // Without whole chunks at the end a file looks complete except for the mark of the last chunk.
    await expect(open(file.subarray(0, file.length - P - 16))).rejects.toMatchObject({
      message: expect.stringContaining('cut off or altered') as string,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: file.length - 1 }),
        fc.integer({ min: 0, max: 7 }),
        async (at, bit) => {
          const bad = Buffer.from(file);
          bad[at] = (bad[at] ?? 0) ^ (1 << bit);
          await expect(open(bad)).rejects.toMatchObject({ code: 'bad-message' });
        },
      ),
      { numRuns: 120 },
    );
    await expect(open(Buffer.concat([file, Buffer.from([0])]))).rejects.toMatchObject({ code: 'bad-message' });
  });

  it('protocol, Sealed bundle: only a matching key opens it, and invalid keys are refused', async () => {
    const other = await generateX25519Identity();
    const file = await sealed(Buffer.from('reef'));
    await expect(open(file, 100, [other])).rejects.toMatchObject({
      code: 'bad-message',
      message: expect.stringContaining('sealed for another cloud') as string,
    });
    expect((await open(file, 100, [other, identity])).toString()).toBe('reef');
    await expect(seal('age1wrong', parts(Buffer.alloc(0), 1), 0)).rejects.toMatchObject({ code: 'bad-message' });
    await expect(open(Buffer.from('PK\u0003\u0004 a zip'))).rejects.toMatchObject({
      message: 'This is not a sealed bundle of a box.',
    });
  });

  it('protocol, Sealed bundle: a source that changes its length is an error', async () => {
    const { stream } = await seal(recipient, parts(Buffer.from('four'), 4), 5);
    await expect(whole(stream)).rejects.toThrow('changed its length');
  });
});
