import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Observable } from '../../../src/data/repositories/index';
import type { TestTabletOptions } from '../../support/tablet/tablet';
import { newOrigin, openTestTablet, until } from '../../support/tablet/tablet';
import { closers } from '../../support/tablet/closers';
import { edge, tablet } from '../../support/tablet/real-scene';

function listen<Value>(observable: Observable<Value>): () => Value {
  const stop = observable.subscribe(() => undefined);
  closers.push(async () => stop());
  return observable.get;
}

describe('1§3 Edge stats: cached box answers', () => {
  test('cached answers appear with their time after an offline restart until the box is forgotten', async () => {
    const box = await edge();
    const origin = newOrigin();
    const first = await openTestTablet({ origin, database: 'remembers' });
    await first.repositories.edge.link.pair(box.url, box.code);
    const stops = [
      first.repositories.edge.answers.meta,
      first.repositories.edge.answers.surveys,
      first.repositories.edge.answers.senders,
    ].map((live) => live.subscribe(() => undefined));
    await until(
      () =>
        first.repositories.edge.answers.meta.get().status === 'ready' &&
        first.repositories.edge.answers.senders.get().status === 'ready',
      'the box answers',
    );
    const shown = first.repositories.edge.answers.meta.get().items[0];
    const answeredAt = first.repositories.edge.answers.answerTimes.get().meta;
    expect(answeredAt).toBeTypeOf('number');
    stops.forEach((stop) => stop());
    await first.close();
    await box.kill();

    const again = await tablet({ origin, database: 'remembers' });
    const meta = listen(again.repositories.edge.answers.meta);
    await until(() => meta().items.length === 1, 'the remembered answer');
    expect(meta()).toEqual({ status: 'stale', items: [shown] });
    expect(again.repositories.edge.answers.answerTimes.get().meta).toBe(answeredAt);

    await again.repositories.edge.link.forget(box.nodeId);
    await until(() => meta().items.length === 0, 'nothing of a forgotten box');
    expect(again.repositories.edge.answers.answerTimes.get().meta).toBeUndefined();
  });

  test('a damaged cached answer is ignored', async () => {
    const box = await edge();
    const origin = newOrigin();
    const first = await openTestTablet({ origin, database: 'damaged' });
    await first.repositories.edge.link.pair(box.url, box.code);
    await first.close();
    await box.kill();
    const request = origin.factory.open('damaged-boxes');
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      request.onupgradeneeded = () => {
        request.result.createObjectStore('answers', { keyPath: 'key' });
        request.result.createObjectStore('packs', { keyPath: 'name' });
      };
      request.onsuccess = () => resolve(request.result as unknown as IDBDatabase);
      request.onerror = () => reject(request.error);
    });
    db.transaction('answers', 'readwrite')
      .objectStore('answers')
      .put({ key: `${box.nodeId} meta`, data: { totals: 'many' }, at: 5 });
    db.close();
    const again = await tablet({ origin, database: 'damaged' });
    const meta = listen(again.repositories.edge.answers.meta);
    const link = listen(again.repositories.edge.link.state);
    await until(() => link().status === 'offline', 'the box is away');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(meta()).toEqual({ status: 'stale', items: [] });
  });
});

describe('3§3 Image: the box’s clock for cameras', () => {
  test('a tablet an hour fast learns its offset within half a round trip', async () => {
    const box = await edge();
    const ahead = 3_600_000;
    const clock = {
      now: () => Date.now() + ahead,
      elapsed: () => performance.now(),
      after: (ms: number, call: () => void) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
    };
    const fast = await tablet({ clock });
    expect(await fast.repositories.edge.answers.measureClock()).toBeNull();
    await fast.repositories.edge.link.pair(box.url, box.code);
    const measured = await fast.repositories.edge.answers.measureClock();
    // Clocks have whole milliseconds, and the box writes its time before it answers.
    expect(Math.abs((measured?.offsetMs ?? 0) + ahead)).toBeLessThanOrEqual((measured?.uncertaintyMs ?? 0) + 2);
    await box.kill();
    await fast.repositories.edge.link.check();
    expect(await fast.repositories.edge.answers.measureClock()).toBeNull();
  });
});

describe('protocol, EDGE_PAIRING: a paired tablet invites the next', () => {
  test('a paired tablet gets the code, and a stranger does not', async () => {
    const box = await edge();
    const one = await tablet();
    expect(await one.repositories.edge.link.invitation()).toBeNull();
    expect((await fetch(`${box.url}/edge/pairing`)).status).toBe(401);
    await one.repositories.edge.link.pair(box.url, box.code);
    const link = listen(one.repositories.edge.link.state);
    await until(() => link().status === 'connected', 'connected');
    expect(await one.repositories.edge.link.invitation()).toEqual({ origin: box.url, code: box.code });
  });
});

/** Box with a scripted tile route. */
async function charts(): Promise<{
  url: string;
  give: { body: Buffer; etag: string; cut?: number } | null;
  asked: string[];
  server: Server;
}> {
  const state: {
    url: string;
    give: { body: Buffer; etag: string; cut?: number } | null;
    asked: string[];
    server: Server;
  } = {
    url: '',
    give: null,
    asked: [],
    server: createServer((request, response) => {
      state.asked.push(request.headers['if-none-match'] ?? '');
      const { give } = state;
      if (give === null) response.writeHead(404).end();
      else if (request.headers['if-none-match'] === give.etag) response.writeHead(304).end();
      else {
        response.writeHead(200, { etag: give.etag, 'content-length': give.body.length });
        if (give.cut === undefined) response.end(give.body);
        else response.write(give.body.subarray(0, give.cut), () => response.destroy());
      }
    }).listen(0, '127.0.0.1'),
  };
  await new Promise((resolve) => state.server.once('listening', resolve));
  state.url = `http://127.0.0.1:${(state.server.address() as AddressInfo).port}`;
  closers.push(
    () =>
      new Promise((resolve) => {
        state.server.closeAllConnections();
        state.server.close(resolve);
      }),
  );
  return state;
}

function archive(words: string, bytes = 200_000): Buffer {
  return Buffer.concat([Buffer.from('PMTiles\u0003'), Buffer.from(words), Buffer.alloc(bytes, 7)]);
}

describe('1§2 Map view: a downloaded chart', () => {
  test('an open chart downloads whole, survives a restart and is revalidated by its ETag', async () => {
    const box = await edge();
    const shelf = await charts();
    shelf.give = { body: archive('one'), etag: '"one"' };
    const origin = newOrigin();
    const options: TestTabletOptions = {
      origin,
      database: 'charts',
      fetch: (url, init) => fetch(url.includes('/tiles/') ? url.replace(box.url, shelf.url) : url, init),
    };
    const first = await openTestTablet(options);
    expect(await first.repositories.edge.packs.openLand()).toBeNull();
    const stop = first.repositories.edge.packs.land.subscribe(() => undefined);
    await until(() => first.repositories.edge.packs.land.get().status === 'none', 'no chart yet');
    await first.repositories.edge.link.pair(box.url, box.code);
    const kept = await until(() => {
      const state = first.repositories.edge.packs.land.get();
      return state.status === 'kept' && state.cached;
    }, 'the chart');
    expect(kept.bytes).toBe(shelf.give.body.length);
    stop();
    await first.close();

    const again = await tablet(options);
    const land = listen(again.repositories.edge.packs.land);
    await until(() => shelf.asked.includes('"one"'), 'requested by its ETag');
    await until(() => land().status === 'kept', 'the same chart stays');
    expect(
      Buffer.from(await ((await again.repositories.edge.packs.openLand()) as File).arrayBuffer()).equals(
        shelf.give.body,
      ),
    ).toBe(true);

    shelf.give = { body: archive('two', 300_000), etag: '"two"' };
    await again.repositories.edge.packs.refreshLand();
    expect(
      Buffer.from(await ((await again.repositories.edge.packs.openLand()) as File).arrayBuffer()).equals(
        shelf.give.body,
      ),
    ).toBe(true);
  });

  test('a truncated, invalid or missing download leaves the stored chart', async () => {
    const box = await edge();
    const shelf = await charts();
    const good = archive('good');
    shelf.give = { body: good, etag: '"good"' };
    const one = await tablet({
      fetch: (url, init) => fetch(url.includes('/tiles/') ? url.replace(box.url, shelf.url) : url, init),
    });
    await one.repositories.edge.link.pair(box.url, box.code);
    const land = listen(one.repositories.edge.packs.land);
    await until(() => land().status === 'kept', 'the chart');
    for (const [give, status, code] of [
      [{ body: archive('cut', 400_000), etag: '"cut"', cut: 90_000 }, 'failed', 'disconnected'],
      [{ body: Buffer.from('<html>Log in to this network</html>'), etag: '"portal"' }, 'failed', 'bad-message'],
      [null, 'kept', undefined],
    ] as const) {
      shelf.give = give;
      await one.repositories.edge.packs.refreshLand();
      const state = land();
      expect(state.status).toBe(status);
      if (state.status === 'failed') {
        expect(state.why.code).toBe(code);
        expect(state.cached?.bytes).toBe(good.length);
      }
      expect(
        Buffer.from(await ((await one.repositories.edge.packs.openLand()) as File).arrayBuffer()).equals(good),
      ).toBe(true);
    }
  });
});
