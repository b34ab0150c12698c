import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IndependentClient } from '../independent/client';
import { newState, type ClientOptions, type ClientState } from '../independent/state';
import { addVoyage, audit, ChunkCount, tempFolder } from '../support/servers/client';
import { byDepth } from '../support/depth';
import { startProxy, type Direction, type Fault, type FaultProxy } from '../support/doubles/proxy';
import { runSeed, seeded } from '../support/seed';
import { startFaultEdge, type FaultEdge } from './edge-process';
import { tally } from '../support/tally';

const CHUNK = 64 * 1024;
/** Three chunks, the last one short. */
const PHOTOGRAPH = 140_000;
/** Offsets for each transport. */
const CUTS = byDepth({ commit: { up: 16, down: 10 }, release: { up: 70, down: 50 } });

const seed = runSeed();
const random = seeded(seed);
const folder = tempFolder('cuts');
const photos = path.join(folder.path, 'photos');
const everything: ClientState[] = [];
let edge: FaultEdge;

beforeAll(async () => {
  mkdirSync(photos);
  console.log(`cuts: seed ${seed}`);
  edge = await startFaultEdge(path.join(folder.path, 'home'));
});
afterAll(async () => {
  await edge.stop();
  folder.remove();
});

/** Impatient client behind a proxy: a receipt time-out of one second instead of 30, immediate reconnects. */
function clientBehind(proxy: FaultProxy, more: Partial<ClientOptions> = {}): IndependentClient {
  const state = more.state ?? newState('cut off');
  if (!everything.includes(state)) everything.push(state);
  return new IndependentClient({
    url: `http://127.0.0.1:${proxy.port}`,
    code: edge.code,
    chunkBytes: CHUNK,
    receiptTimeoutMs: 20_000,
    retryDelayMs: 20,
    reconnectStepMs: 5,
    reconnectMaxMs: 20,
    ...more,
    state,
  });
}

/** Sends one photograph through one fault; returns how often the fault fired and what was resent. */
async function sendThrough(
  proxy: FaultProxy,
  fault: Fault,
  more: Partial<ClientOptions> = {},
): Promise<{ fired: boolean; resentBytes: number }> {
  const chunks = new ChunkCount();
  const client = clientBehind(proxy, { ...more, onChunk: chunks.onChunk });
  await addVoyage(client, photos, [PHOTOGRAPH], random);
  proxy.arm(fault);
  const refused = await client.drain();
  const { fired } = proxy;
  client.stop();
  expect(refused).toEqual([]);
  expect(client.owed()).toEqual([]);
  const resentBytes = chunks.sentBytes - PHOTOGRAPH;
  if (resentBytes > CHUNK)
    throw new Error(`${JSON.stringify(fault)}: ${resentBytes} bytes were sent again, more than a chunk`);
  return { fired, resentBytes };
}

/** Offsets spread evenly over a span, each jittered by the seed. */
function offsets(count: number, span: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(((i + random.fraction()) * span) / count));
}

/** Traffic in that direction for one undisturbed photograph: handshakes, messages, chunks and answers. */
function measure(transport: 'socket' | 'http', towards: Direction): Promise<number> {
  return withProxy(async (proxy) => {
    await sendThrough(proxy, { kind: 'cut', towards, after: Number.MAX_SAFE_INTEGER }, { transport });
    // Slightly less: the last bytes are the disconnect, whose length varies by a few.
    return proxy.bytes[towards] - 60;
  });
}

async function withProxy<T>(work: (proxy: FaultProxy) => Promise<T>, look: 'bytes' | 'messages' = 'bytes'): Promise<T> {
  const proxy = await startProxy(edge.port, seed, look);
  try {
    return await work(proxy);
  } finally {
    await proxy.close();
  }
}

describe('protocol: client behaviour over a connection that fails', () => {
  for (const towards of ['up', 'down'] as const) {
    for (const transport of ['socket', 'http'] as const) {
      it(`cut at ${CUTS[towards]} byte offsets on the way ${towards} over ${transport}, every other one a reset`, async () => {
        await withProxy(async (proxy) => {
          const span = await measure(transport, towards);
          let resent = 0;
          for (const [i, after] of offsets(CUTS[towards], span).entries()) {
            const { fired, resentBytes } = await sendThrough(
              proxy,
              { kind: i % 2 === 0 ? 'cut' : 'reset', towards, after },
              { transport },
            );
            resent += resentBytes;
            expect(fired).toBe(true);
          }
          tally('cut connections', proxy.counts.cut + proxy.counts.reset);
          console.log(
            `cuts ${towards}, ${transport}: ${proxy.counts.cut} cuts, ${proxy.counts.reset} resets over ${span} bytes, ${Math.round(resent / 1024)} KiB sent again`,
          );
          expect(proxy.counts.cut + proxy.counts.reset).toBe(CUTS[towards]);
        });
      });
    }
  }

  it('half-open: a silent connection is ended by the receipt time-out', async () => {
    await withProxy(async (proxy) => {
      const spans = { up: await measure('socket', 'up'), down: await measure('socket', 'down') };
      const places = (['up', 'down'] as const).flatMap((towards) =>
        offsets(8, spans[towards]).map((after) => ({ towards, after })),
      );
      // In parallel: each waits for its time-out behind its own proxy.
      const results = await Promise.all(
        places.map(({ towards, after }) =>
          withProxy((own) => sendThrough(own, { kind: 'half-open', towards, after }, { receiptTimeoutMs: 2_000 })),
        ),
      );
      expect(results.filter(({ fired }) => fired).length).toBe(places.length);
      tally('cut connections', places.length);
      console.log(`half-open: ${places.length} connections`);
      expect(proxy.open).toBe(0);
    });
  });

  it('slow: everything arrives and nothing is sent twice', async () => {
    await withProxy(async (proxy) => {
      proxy.slow(150_000);
      const { resentBytes } = await sendThrough(proxy, { kind: 'cut', towards: 'up', after: 1e12 });
      expect(resentBytes).toBe(0);
    });
  });

  it('duplicated, swapped and late messages yield one receipt each', async () => {
    await withProxy(async (proxy) => {
      proxy.shuffle({ duplicate: 0.3, swap: 0.2, replay: 0.2, holdMs: 30 });
      const clients = Array.from({ length: 6 }, () => clientBehind(proxy));
      await Promise.all(
        clients.map(async (client) => {
          await addVoyage(client, photos, [PHOTOGRAPH, 1_000, PHOTOGRAPH], random);
          expect(await client.drain()).toEqual([]);
          client.stop();
        }),
      );
      await proxy.close();
      const { duplicated, swapped, replayed } = proxy.counts;
      console.log(`shuffled: ${duplicated} messages twice, ${swapped} swapped, ${replayed} once more later`);
      expect(Math.min(duplicated, replayed)).toBeGreaterThan(10);
    }, 'messages');
  });

  it('two images at a time over one socket with swapped messages each get their own bytes', async () => {
    await withProxy(async (proxy) => {
      proxy.shuffle({ duplicate: 0, swap: 0.5, replay: 0, holdMs: 200 });
      const client = clientBehind(proxy, { imagesAtATime: 2 });
      const added = await addVoyage(client, photos, [PHOTOGRAPH, PHOTOGRAPH], random);
      expect(await client.drain()).toEqual([]);
      client.stop();
      await proxy.close();
      expect(client.owed()).toEqual([]);
      expect(added.every(({ receipt }) => receipt?.accepted)).toBe(true);
      console.log(`two images: ${proxy.counts.swapped} messages swapped`);
      expect(proxy.counts.swapped).toBeGreaterThan(0);
    }, 'messages');
  });

  it('at the end everything the clients sent is on the box once, byte for byte', async () => {
    const items = everything.flatMap((state) => state.items);
    console.log(`cuts: ${items.length} things of ${everything.length} clients audited`);
    expect(await audit(edge, items, true)).toEqual([]);
  });
});
