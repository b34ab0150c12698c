import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import path from 'node:path';
import { io } from 'socket.io-client';
import { ReefError } from '../../src/domain/errors';
import type { Clock, SocketClient, Timers } from '../../src/platform/host';
import { blobOf } from '../../src/protocol/receipt';
import type { Op, Receipt } from '../independent/canonical';
import type { Item } from '../independent/state';
import { audit, tempFolder, until } from '../support/servers/client';
import { byDepth } from '../support/depth';
import { startProxy, type Direction, type Fault, type FaultProxy } from '../support/doubles/proxy';
import { runSeed, seeded } from '../support/seed';
import { openTestTablet, photograph } from '../support/tablet/tablet';
import { startFaultEdge, type FaultEdge } from './edge-process';
import { tally } from '../support/tally';

/** Speed of the tablet's clock: a reconnect of 5 s takes half a second, a time-out of 30 s three. */
const FASTER = 10;
/** Two chunks through the socket, and one over HTTP as the chunks grow. */
const PHOTOGRAPH = 900_000;
const CUTS_A_TABLET = byDepth({ commit: 7, release: 20 });
/** RxDB takes 16 collections a process, and a tablet has four. */
const TABLETS = 3;

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

const seed = runSeed();
const folder = tempFolder('cuts-tablet');
const closers: (() => Promise<void>)[] = [];
let edge: FaultEdge;

beforeAll(async () => {
  console.log(`cuts of the production tablet: seed ${seed}`);
  edge = await startFaultEdge(path.join(folder.path, 'home'));
});
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await edge.stop();
  folder.remove();
});

const begun = Date.now();
const fastTime: Clock & Timers = {
  now: () => begun + (Date.now() - begun) * FASTER,
  elapsed: () => (Date.now() - begun) * FASTER,
  after: (ms, call) => {
    const timer = setTimeout(call, ms / FASTER);
    return () => clearTimeout(timer);
  },
};

/** Chunks as they leave the tablet, by either transport. */
interface Sent {
  bytes: number;
  largest: number;
}

async function openBehind(proxy: FaultProxy, sent: Sent): Promise<TestTablet> {
  const note = (bytes: number): void => {
    sent.bytes += bytes;
    sent.largest = Math.max(sent.largest, bytes);
  };
  const tablet = await openTestTablet({
    clock: fastTime,
    openSocket: async (address, place) => {
      const socket = io(address, {
        path: place,
        autoConnect: false,
        reconnection: false,
        transports: ['websocket'],
        forceNew: true,
      });
      const emit = socket.emit.bind(socket);
      socket.emit = (event: string, ...args: unknown[]) => {
        if (event === 'image:binary') note((args[1] as Uint8Array).byteLength);
        return emit(event, ...args);
      };
      return socket as unknown as SocketClient;
    },
    fetch: (url, init) => {
      if (init?.method === 'PATCH') note((init.body as Uint8Array).byteLength);
      return fetch(url, init);
    },
  });
  await tablet.repositories.account.people.createPending({
    name: { first: 'Ana', last: 'Reef' },
    email: 'ana@example.org',
  });
  await pair(tablet, `http://127.0.0.1:${proxy.port}`);
  return tablet;
}

/** Pairs, again after each time-out, as a person would: in fast time a busy machine may answer too late. */
async function pair(tablet: TestTablet, address: string): Promise<void> {
  for (;;) {
    try {
      await tablet.repositories.edge.link.pair(address, edge.code);
      return;
    } catch (error) {
      if (!(error instanceof ReefError) || error.code !== 'timeout') throw error;
    }
  }
}

const done = (tablet: TestTablet): boolean => tablet.repositories.custody.sending.facts.get().state === 'done';

/** State of the tablet in the auditor's form: its ops, the receipts from the box, its photographs. */
async function booksOf({ context }: TestTablet): Promise<Item[]> {
  const { db } = context.store;
  const receipts = new Map((await db.receipts.toArray()).map(({ opId, receipt }) => [opId, receipt]));
  return (await db.ops.toArray()).map(({ opId, op }) => {
    const blob = blobOf(op);
    const receipt = receipts.get(opId);
    return {
      op: op as unknown as Op,
      ...(receipt === undefined ? {} : { receipt: receipt as unknown as Receipt }),
      ...(blob === undefined ? {} : { photo: { ...blob, file: '', path: '', type: '', surveyId: '' } }),
    };
  });
}

const newSurvey = (
  tablet: TestTablet,
  name: string,
): ReturnType<TestTablet['repositories']['census']['surveys']['add']> =>
  tablet.repositories.census.surveys.add({
    name,
    date: '2026-11-20',
    type: 'scuba',
    location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' },
  });

/** Everything written, and what is on hold: nothing should be. */
const books = new Map<string, Item>();
let held = 0;

/** Runs with a tablet behind its own proxy; stores its state at the end and closes it. */
async function withTablet(
  work: (tablet: TestTablet, proxy: FaultProxy, sent: Sent) => Promise<void>,
  look: 'bytes' | 'messages' = 'bytes',
): Promise<void> {
  const proxy = await startProxy(edge.port, seed, look);
  closers.push(() => proxy.close());
  const sent = { bytes: 0, largest: 0 };
  const tablet = await openBehind(proxy, sent);
  await work(tablet, proxy, sent);
  // A tablet also stores others' operations; the audit does not depend on whose receipt it is.
  for (const item of await booksOf(tablet)) books.set(item.op.opId, item);
  held += await tablet.context.store.db.holds.count();
  await tablet.close();
}

describe('protocol: the production sender over a connection that fails', () => {
  it(`${TABLETS * CUTS_A_TABLET} cuts, resets and half-open connections resend at most one chunk each`, async () => {
    const totals = { fired: 0, resent: 0 };
    const one = (lane: number): Promise<void> =>
      withTablet(async (tablet, proxy, sent) => {
        const random = seeded(seed + lane);
        const surveyId = await newSurvey(tablet, `Cut ${lane}`);
        await until(() => done(tablet), 'the survey sent');
        // Each tablet continues where the previous one ends, so that together they cover every kind in both directions.
        for (let n = lane * CUTS_A_TABLET; n < (lane + 1) * CUTS_A_TABLET; n += 1) {
          const towards: Direction = n % 3 === 2 ? 'down' : 'up';
          const kind: Fault['kind'] = n % 5 === 4 ? 'half-open' : n % 2 === 0 ? 'cut' : 'reset';
          const before = sent.bytes;
          proxy.arm({ kind, towards, after: random.below(towards === 'up' ? PHOTOGRAPH : 1_500) });
          await tablet.repositories.census.images.addPhotograph(photograph(lane * 1_000 + n, PHOTOGRAPH), surveyId);
          await until(() => done(tablet), `photograph ${n} of tablet ${lane} sent`, 60_000);
          const resent = sent.bytes - before - PHOTOGRAPH;
          if (proxy.fired) totals.fired += 1;
          totals.resent += resent;
          expect({ kind, towards, resent: Math.max(0, resent - (proxy.fired ? sent.largest : 0)) }).toEqual({
            kind,
            towards,
            resent: 0,
          });
        }
      });
    await Promise.all(Array.from({ length: TABLETS }, (_, lane) => one(lane)));
    tally('cut connections', totals.fired);
    console.log(
      `production sender: ${totals.fired} of ${TABLETS * CUTS_A_TABLET} faults fired, ${Math.round(totals.resent / 1024)} KiB sent again`,
    );
    expect(totals.fired).toBeGreaterThan(TABLETS * CUTS_A_TABLET * 0.8);
  });

  it('duplicated, swapped and late messages, two images at a time, yield one receipt each', async () => {
    await withTablet(async (tablet, proxy) => {
      proxy.shuffle({ duplicate: 0.3, swap: 0.3, replay: 0.2, holdMs: 20 });
      const surveyId = await newSurvey(tablet, 'Shuffled');
      for (let n = 0; n < 12; n += 1)
        await tablet.repositories.census.images.addPhotograph(photograph(90_000 + n, 150_000), surveyId);
      await until(() => done(tablet), 'everything sent', 60_000);
      console.log(
        `production sender: ${proxy.counts.duplicated} messages twice, ${proxy.counts.swapped} swapped, ${proxy.counts.replayed} once more later`,
      );
      expect(Math.min(proxy.counts.duplicated, proxy.counts.swapped)).toBeGreaterThan(3);
    }, 'messages');
  });

  it('at the end everything the tablets wrote is receipted and on the box once, byte for byte', async () => {
    console.log(`production sender: ${books.size} things of ${TABLETS + 1} tablets audited`);
    expect(books.size).toBeGreaterThan(10);
    expect(await audit(edge, [...books.values()], true)).toEqual([]);
    expect(held).toBe(0);
  });
});
