import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { BlobRef } from '../../../src/protocol/receipt';
import { startBucketScrub } from './bucket-scrub';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex') as BlobRef['sha256'];

it('protocol, Durable: the slow scrub finds lost and altered objects, but not during an outage', async () => {
  const [whole, gone, altered] = [hashOf('whole'), hashOf('gone'), hashOf('altered')];
  const inBucket = new Map([
    [whole, 'whole'],
    [altered, 'other'],
  ]);
  const all = [whole, gone, altered].sort().map((sha256) => ({ sha256, bytes: 5 }));
  const found = new Set<string>();
  let asked = 0;
  const stop = await new Promise<() => void>((resolve) => {
    const end = startBucketScrub({
      blobs: {
        async read(sha256) {
          if (++asked % 2 === 1) throw new ReefError('internal', { message: 'away' });
          const text = inBucket.get(sha256 as BlobRef['sha256']);
          if (text === undefined) throw new ReefError('not-found');
          return Readable.from([Buffer.from(text)]);
        },
      },
      expected: async (after, limit) => all.filter(({ sha256 }) => sha256 > after).slice(0, limit),
      async onBroken(sha256) {
        found.add(sha256);
        if (found.size === 2) resolve(end);
      },
      log: pino({ level: 'silent' }),
      stepMs: 1,
    });
  });
  stop();
  expect(found).toEqual(new Set([gone, altered]));
});
