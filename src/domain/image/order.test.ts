import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byOrder, keysBetween, reorderKeys, orderAt, orderOf } from './order';

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `Image${String(i).padStart(11, '0')}`);

describe('3§3 image: the order of a survey’s photographs', () => {
  it('photographs are in the order in which they were added', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), fc.integer({ min: 1, max: 2 ** 40 }), (ms, later) => {
        expect(orderAt(ms, 'zzzz') < orderAt(ms + later, '0000')).toBe(true);
      }),
    );
  });

  it('a new key fits between any two keys, however often', () => {
    let [after, before] = [orderAt(1_795_000_000_000, 'aaaa'), orderAt(1_795_000_000_000, 'aaab')];
    for (let i = 0; i < 300; i++) {
      const [key = ''] = keysBetween(after, before, 1);
      expect(after < key && key < before).toBe(true);
      if (i % 3 === 0) before = key;
      else after = key;
    }
  });

  it('many new keys are in order, between their neighbours and short', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 0, max: 2 ** 42 }), { nil: null }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 600 }),
        fc.boolean(),
        (ms, gap, count, isOpen) => {
          const after = ms === null ? null : orderAt(ms, 'a');
          const before = isOpen ? null : orderAt((ms ?? 0) + gap, 'a');
          const keys = keysBetween(after, before, count);
          expect(keys.length).toBe(count);
          const all = [...(after === null ? [] : [after]), ...keys, ...(before === null ? [] : [before])];
          expect(all.every((key, i) => i === 0 || (all[i - 1] ?? '') < key)).toBe(true);
          expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(24);
          expect(keys.every((key) => orderOf({ id: 'x', order: key }) === key)).toBe(true);
        },
      ),
    );
  });

  it('moving any photographs yields the list that a person sees after dragging', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.array(fc.tuple(fc.uniqueArray(fc.nat(24), { minLength: 1, maxLength: 6 }), fc.nat(25)), { maxLength: 12 }),
        fc.boolean(),
        (count, moves, sameMoment) => {
          // Keys of the same moment differ by the id, or not at all.
          let list = ids(count).map((id, i) => ({ id, order: sameMoment ? orderAt(5000, '') : orderAt(5000 + i, id) }));
          for (const [which, to] of moves) {
            const moving = which.flatMap((i) => list[i]?.id ?? []);
            const before = list[to]?.id ?? null;
            const staying = list.map(({ id }) => id).filter((id) => !moving.includes(id));
            const place = before === null ? -1 : list.findIndex(({ id }) => id === before);
            const anchor = place < 0 ? undefined : list.slice(place).find(({ id }) => !moving.includes(id))?.id;
            const at = anchor === undefined ? staying.length : staying.indexOf(anchor);
            const expected =
              moving.length === 1 && before === moving[0]
                ? list.map(({ id }) => id)
                : [...staying.slice(0, at), ...moving, ...staying.slice(at)];
            const keys = reorderKeys(list, moving, before);
            list = list.map(({ id, order }) => ({ id, order: keys.get(id) ?? order })).sort(byOrder);
            expect(list.map(({ id }) => id)).toEqual(expected);
          }
        },
      ),
    );
  });

  it('a move writes only the keys of the moved photographs', () => {
    const list = ids(9).map((id, i) => ({ id, order: orderAt(1000 * i, id) }));
    expect([...reorderKeys(list, [list[7]?.id ?? '', list[2]?.id ?? ''], list[4]?.id ?? '').keys()]).toEqual([
      list[7]?.id,
      list[2]?.id,
    ]);
    expect(reorderKeys(list, ['unknown'], null).size).toBe(0);
  });

  it('a record without a valid key is where it was added', () => {
    const since = '2026-11-20T00:00:01.000Z';
    const there = orderAt(Date.parse(since), 'Image00000000001');
    for (const order of [undefined, null, '', '0', 'a0', 'é', 7, 'x'.repeat(500)])
      expect(orderOf({ id: 'Image00000000001', since, order })).toBe(there);
    expect(orderOf({ id: 'Image00000000001', createdAt: since })).toBe(there);
    expect(orderOf({ id: 'I', since: 'garbage' })).toBe(orderAt(0, 'I'));
  });
});
