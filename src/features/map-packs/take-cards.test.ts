import { describe, expect, test } from 'vitest';
import { ReefError } from '../../domain/errors';
import { takeCards, type ReportReads } from './take-cards';

/** Read whose answer comes once it is subscribed to. */
function answer<Value>(
  value: Value,
  status: 'ready' | 'stored' | 'error' = 'ready',
  code: 'timeout' | 'not-found' = 'timeout',
) {
  const state = { status, value, ...(status === 'error' ? { error: new ReefError(code) } : {}) };
  return {
    get: () => state,
    subscribe: (listener: (given: typeof state) => void) => {
      const timer = setTimeout(() => listener(state));
      return () => clearTimeout(timer);
    },
  };
}

function reads(change: Partial<ReportReads<string>> = {}) {
  const fetched: string[] = [];
  const all: ReportReads<string> = {
    tables: [answer('meta')],
    surveysOf: (id) => answer([{ id: `${id}-1` }, { id: `${id}-2` }]),
    imagesOf: (id) => answer([`${id}-a`]),
    smallPicture: (image) => Promise.resolve(fetched.push(image) > 0 && image !== 'r2-1-a'),
    requireStored: () => undefined,
    storedReefs: () => Promise.resolve([]),
    ...change,
  };
  return { all, fetched };
}

describe('3§2, 1§7 survey cards and small pictures are taken along', () => {
  test('every survey and picture of the dataset is read once, with progress', async () => {
    const { all, fetched } = reads();
    const progress: number[] = [];
    const { signal } = new AbortController();
    const missing = await takeCards(all, ['r1', 'r2'], { cards: true, pictures: true }, signal, (n) =>
      progress.push(n),
    );
    expect(missing, 'a picture that no server has').toBe(1);
    expect(progress).toEqual([1, 2]);
    expect(fetched).toEqual(['r1-1-a', 'r1-2-a', 'r2-1-a', 'r2-2-a']);
    fetched.length = 0;
    await takeCards(all, ['r1'], { cards: true, pictures: false }, signal, () => undefined);
    expect(fetched).toEqual([]);
  });

  test('a table that is not published is left out', async () => {
    const { all, fetched } = reads({ tables: [answer(null, 'error', 'not-found'), answer('meta')] });
    await takeCards(all, ['r1'], { cards: true, pictures: true }, new AbortController().signal, () => undefined);
    expect(fetched).toEqual(['r1-1-a', 'r1-2-a']);
  });

  test('a stored reef that left the dataset is read again, without progress', async () => {
    const asked: string[] = [];
    const { all } = reads({
      storedReefs: () => Promise.resolve(['r1', 'gone']),
      surveysOf: (id) => {
        asked.push(id);
        return answer([]);
      },
    });
    const progress: number[] = [];
    const { signal } = new AbortController();
    await takeCards(all, ['r1'], { cards: true, pictures: false }, signal, (n) => progress.push(n));
    expect([asked, progress]).toEqual([['gone', 'r1'], [1]]);
  });

  test('a failure, a missing server and a pause end it', async () => {
    const parts = { cards: true, pictures: true };
    const run = (change: Partial<ReportReads<string>>, signal = new AbortController().signal) =>
      takeCards(reads(change).all, ['r1'], parts, signal, () => undefined);
    await expect(run({ tables: [answer(null, 'error')] })).rejects.toMatchObject({ code: 'timeout' });
    await expect(run({ tables: [answer('old', 'stored')] })).rejects.toMatchObject({ code: 'disconnected' });
    const full = () => {
      throw new ReefError('storage-full');
    };
    await expect(run({ requireStored: full })).rejects.toMatchObject({ code: 'storage-full' });
    const pause = new AbortController();
    const waits = { get: () => ({ status: 'reading' as const, value: null }), subscribe: () => () => undefined };
    const running = run({ tables: [waits] }, pause.signal);
    pause.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });
});
