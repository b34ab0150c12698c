import { describe, expect, it } from 'vitest';
import { ManualClock, nodeHost, quiet } from '../../../tests/support/tablet/tablet-host';
import { Emitter } from '../../base/emitter';
import { ReefError } from '../../domain/errors';
import { LinkKeeper, type LinkTransport } from './link-keeper';
import type { Upstream } from './upstream';

/** Keeper of links to one store that can be down, with the times at which it was tried. */
function scene() {
  const clock = new ManualClock();
  const tried: number[] = [];
  const open: { connected: boolean; lost: Emitter<void>; close: () => void }[] = [];
  const store: { isDown: boolean; lastStep: Promise<unknown> } = { isDown: false, lastStep: Promise.resolve() };
  const keeper = new LinkKeeper<string, LinkTransport, Upstream>(
    // Jitter of nothing: each wait is as long as specified.
    { ...nodeHost(), timers: clock, randomBytes: (n) => new Uint8Array(n) },
    {
      target: () => 'box',
      targetId: (target) => target,
      createTransport: () => {
        const transport = {
          connected: true,
          lost: new Emitter<void>(),
          close: () => {
            if (!transport.connected) return;
            transport.connected = false;
            transport.lost.emit();
          },
        };
        open.push(transport);
        return transport;
      },
      connect: async () => {
        tried.push(clock.elapsed());
        if (store.isDown) throw new ReefError('disconnected');
        await store.lastStep;
        return {} as Upstream;
      },
      check: async () => undefined,
    },
  );
  const delays = (): number[] => tried.slice(1).map((at, n) => (at - (tried[n] ?? 0)) / 1000);
  return { clock, keeper, store, delays, tried, live: () => open.filter(({ connected }) => connected) };
}

describe('1§4 the edge socket', () => {
  it('1§4, 1§9 it reconnects after 5 s times the attempt, 25 s at most, and anew after a connection', async () => {
    const { clock, keeper, store, delays, live, tried } = scene();
    const release = keeper.acquire();
    await quiet();
    expect(keeper.state.get()).toEqual({ status: 'connected', nodeId: 'box' });
    store.isDown = true;
    keeper.drop();
    await clock.advance(150_000);
    expect(delays()).toEqual([5, 10, 15, 20, 25, 25, 25, 25]);
    expect(keeper.state.get()).toEqual({ status: 'connecting', attempt: 9 });
    store.isDown = false;
    await clock.advance(25_000);
    expect(live()).toHaveLength(1);
    tried.splice(0, tried.length - 1);
    keeper.drop();
    await clock.advance(5000);
    expect(delays()).toEqual([5]);
    release();
    await keeper.close();
  });

  it('1§4 it connects again at once if it is dropped for that while it connects', async () => {
    const { clock, keeper, store, live, tried } = scene();
    let finish = (): void => undefined;
    store.lastStep = new Promise<void>((resolve) => (finish = resolve));
    const begin = clock.elapsed();
    const release = keeper.acquire();
    await quiet();
    keeper.drop();
    keeper.retryNow();
    finish();
    await quiet();
    expect([clock.elapsed() - begin, tried.length, live().length]).toEqual([0, 2, 1]);
    expect(keeper.state.get()).toEqual({ status: 'connected', nodeId: 'box' });
    release();
    await keeper.close();
  });

  it('1§4 it closes when no listener remains, and connects again for the next one', async () => {
    const { clock, keeper, live, tried } = scene();
    const ends = [keeper.acquire(), keeper.acquire()];
    await quiet();
    ends[0]?.();
    ends[0]?.();
    await clock.advance(60_000);
    expect([live().length, tried.length]).toEqual([1, 1]);
    ends[1]?.();
    await clock.advance(60_000);
    expect([live().length, keeper.state.get()]).toEqual([0, { status: 'idle' }]);
    const last = keeper.acquire();
    await quiet();
    expect(live()).toHaveLength(1);
    last();
    await keeper.close();
    expect(live()).toHaveLength(0);
  });
});
