import { afterEach, describe, expect, test } from 'vitest';
import { photograph, quiet } from '../support/tablet';
import { addSurvey, closeTablets, custodyAt, runUntil, scene, settled } from '../support/tablet-scene';

afterEach(closeTablets);

describe('protocol: client behaviour, under attack', () => {
  test('somebody who takes the connection up while the last one lets it go gets it, again and again', async () => {
    const { clock, box, tablet } = await scene();
    const { link } = tablet.parts;
    await tablet.repositories.edge.pair(box.origin);
    for (let round = 0; round < 3; round++) {
      const release = link.acquire();
      await runUntil(clock, () => link.current !== undefined, `connected, round ${round}`);
      let next: (() => void) | undefined;
      const stop = link.state.subscribe(({ status }) => {
        // In the very moment in which the last one was let go.
        if (status === 'idle') next ??= link.acquire();
      });
      release();
      await runUntil(clock, () => next !== undefined && link.current !== undefined, `taken up again, round ${round}`);
      stop();
      next?.();
      await runUntil(clock, () => link.state.get().status === 'idle', `idle, round ${round}`);
    }
  });

  test('a box that is forgotten while a connection to it comes about stays forgotten', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.pair(box.origin);
    const { db } = tablet.parts.store;
    box.misbehave = (event) => {
      if (event === 'verify') void db.edges.delete(box.nodeId as never);
      return undefined;
    };
    const release = tablet.parts.link.acquire();
    await runUntil(clock, () => box.heard.filter(({ event }) => event === 'verify').length > 1, 'asked');
    await quiet(100);
    expect(await db.edges.count()).toBe(0);
    expect(tablet.parts.link.current).toBeUndefined();
    release();
  });

  test('who chooses to stay offline while the connection comes about is left in peace', async () => {
    const { clock, box, tablet } = await scene();
    await addSurvey(tablet);
    let choice: Promise<void> | undefined;
    box.misbehave = (event, message) => {
      if (event === 'verify' && message['session'] !== undefined) choice ??= tablet.repositories.edge.stayOffline(true);
      return undefined;
    };
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => choice !== undefined, 'chosen');
    await choice;
    await clock.advance(60_000);
    expect(box.events()).toEqual([]);
    expect(tablet.parts.link.current).toBeUndefined();
  });

  test('a clash whose feed cannot be read, and a full disk while a refusal is noted, do not end sending', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    box.misbehave = (event, _message, nth) => {
      if (event === 'profile' && nth === 1) return { error: 'receipt-mismatch' };
      if (event === 'query') return { error: 'internal' };
      return event === 'survey' && nth === 1 ? { error: 'unlinked-survey' } : undefined;
    };
    const full = (): never => {
      tablet.parts.store.db.holds.hook('creating').unsubscribe(full);
      throw new DOMException('no room', 'QuotaExceededError');
    };
    tablet.parts.store.db.holds.hook('creating', full);
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent in spite of it');
    expect(custodyAt(tablet, 'survey', id)).toMatchObject({ at: 'box' });
    expect(tablet.parts.sync.place.get()).toBe('here');
  });

  test('sending that breaks off within begins again', async () => {
    const { clock, box, tablet } = await scene();
    const owes = tablet.parts.sync.sender.owes.bind(tablet.parts.sync.sender);
    let broken = false;
    tablet.parts.sync.sender.owes = () => {
      if (!broken && owes()) {
        broken = true;
        throw new Error('a defect');
      }
      return owes();
    };
    await tablet.repositories.edge.pair(box.origin);
    await addSurvey(tablet);
    await runUntil(clock, () => broken && settled(tablet)(), 'sent');
    expect(box.ops.size).toBe(2);
  });

  test('chunks over HTTP that never get through go over the socket, and nothing spins', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    await tablet.repositories.images.addPhotograph(photograph(1, 3_000_000), id);
    box.binary = ['socket', 'http'];
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    expect(box.patches).toBe(1);
    expect(box.events().filter((event) => event === 'image:path').length).toBeLessThan(4);
    expect(box.bytes.size).toBe(1);
  });
});

describe('1§9: connectivity, under attack', () => {
  test.each<[string, () => Response]>([
    ['a head and never a body', () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))],
    ['a body without end', () => new Response(new ReadableStream({ pull: (sink) => sink.enqueue(new Uint8Array(64 * 1024)) }))],
    ['a page for everything', () => new Response('<html>Welcome to the harbour Wi-Fi</html>')],
  ])('%s in place of the box: the check ends, and finds the box when it is back', async (_what, answer) => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.pair(box.origin);
    box.instead = answer;
    const check = tablet.repositories.edge.check();
    await runUntil(clock, () => tablet.repositories.edge.connectivity.get().answering === 'none', 'not there');
    await check;
    box.instead = undefined;
    await runUntil(clock, () => tablet.repositories.edge.connectivity.get().answering === 'edge', 'back');
  });
});
