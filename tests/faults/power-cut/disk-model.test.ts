import { describe as group, expect, it } from 'vitest';
import { crashState, crashStates } from './crash-plan';
import { HistoryBuilder } from './disk-history';
import type { DiskHistory, DiskOp } from './disk-history';
import { Contents, diskAfterCut, DROPPED, KEPT, pendingAt } from './power-cut-disk';
import type { Fate } from './power-cut-disk';
import { unexplained } from './recording';
import { differences, treeHash } from './tree';

const EMPTY = { folders: [], files: new Map<string, Buffer>() };

/** Possible disks after a cut at `event`, as lists of `path=text`, if each pending change is either present or not. */
function possible(history: DiskHistory, event: number): Set<string> {
  const pending = pendingAt(history, event);
  const found = new Set<string>();
  for (let mask = 0; mask < 2 ** pending.length; mask++) {
    const fates = new Map<number, Fate>(pending.map((op, bit) => [op.index, (mask >> bit) & 1 ? KEPT : DROPPED]));
    const { files, folders } = diskAfterCut(history, event, (op) => fates.get(op.index) ?? KEPT);
    found.add(
      [
        ...folders.map((folder) => `${folder}/`),
        ...[...files].map(([path, bytes]) => `${path}=${bytes.toString('latin1')}`),
      ]
        .sort()
        .join(' '),
    );
  }
  return found;
}

group('power-cut model: what an fsync promises', () => {
  it('a write may be lost until an fsync that began after it has returned', () => {
    const disk = new HistoryBuilder({ folders: [], files: new Map([['a', Buffer.from('old')]]) });
    const a = disk.lookup('a')!;
    disk.write(a, 0, Buffer.from('new'), 1, 2);
    disk.sync(a, 3, 6);
    const history = disk.close(6);
    expect(possible(history, 0)).toEqual(new Set(['a=old']));
    expect(possible(history, 1)).toEqual(new Set(['a=old', 'a=new']));
    expect(possible(history, 5)).toEqual(new Set(['a=old', 'a=new']));
    expect(possible(history, 6)).toEqual(new Set(['a=new']));
  });

  it('a write cut off by a kill may be on the disk or not; a completed one must be', () => {
    const left = (text: string) => ({ folders: [], files: new Map([['a', Buffer.from(text)]]) });
    const disk = new HistoryBuilder(left('....'));
    const a = disk.lookup('a')!;
    disk.write(a, 0, Buffer.from('x'), 1, 2);
    disk.write(a, 1, Buffer.from('y'), 3, Infinity);
    disk.write(a, 2, Buffer.from('z'), 3, Infinity);
    const history = disk.close(3);
    for (const text of ['xyz.', 'xy..', 'x.z.', 'x...']) expect(unexplained(history, left(text))).toEqual([]);
    for (const text of ['....', '.yz.', 'xyzz', 'x..']) expect(unexplained(history, left(text))).toHaveLength(1);
  });

  it('an fsync that began before the write returned does not cover it', () => {
    const disk = new HistoryBuilder({ folders: [], files: new Map([['a', Buffer.from('old')]]) });
    const a = disk.lookup('a')!;
    disk.write(a, 0, Buffer.from('new'), 1, 4);
    disk.sync(a, 2, 6);
    expect(possible(disk.close(6), 6)).toEqual(new Set(['a=old', 'a=new']));
  });

  it('an fsync of a new file does not cover its name, nor an fsync of its folder its bytes', () => {
    const disk = new HistoryBuilder(EMPTY);
    const a = disk.create('a', 'file', 1, 2);
    disk.write(a, 0, Buffer.from('x'), 3, 4);
    disk.sync(a, 5, 6);
    const b = disk.create('b', 'file', 7, 8);
    disk.write(b, 0, Buffer.from('y'), 9, 10);
    disk.sync(0, 11, 12);
    const history = disk.close(12);
    expect(possible(history, 6)).toEqual(new Set(['', 'a=x']));
    expect(possible(history, 12)).toEqual(new Set(['a=x b=', 'a=x b=y']));
  });

  it('a rename is whole or absent; the fsync of one folder makes only its half durable', () => {
    const renamed = (first: string, second: string): DiskHistory => {
      const disk = new HistoryBuilder({ folders: ['from', 'to'], files: new Map([['from/a', Buffer.from('x')]]) });
      disk.rename('from/a', 'to/b', 1, 2);
      disk.sync(disk.lookup(first)!, 3, 4);
      disk.sync(disk.lookup(second)!, 5, 6);
      return disk.close(6);
    };
    const [not, whole, twice, lost] = [
      'from/ from/a=x to/',
      'from/ to/ to/b=x',
      'from/ from/a=x to/ to/b=x',
      'from/ to/',
    ];
    expect(possible(renamed('to', 'from'), 2)).toEqual(new Set([not, whole]));
    expect(possible(renamed('to', 'from'), 4)).toEqual(new Set([twice, whole]));
    expect(possible(renamed('from', 'to'), 4)).toEqual(new Set([lost, whole]));
    expect(possible(renamed('to', 'from'), 6)).toEqual(new Set([whole]));
  });

  it('a rename over another file leaves either the old or the new one', () => {
    const disk = new HistoryBuilder({
      folders: [],
      files: new Map([
        ['a', Buffer.from('old')],
        ['a.new', Buffer.from('new')],
      ]),
    });
    disk.rename('a.new', 'a', 1, 2);
    expect(possible(disk.close(2), 2)).toEqual(new Set(['a.new=new a=old', 'a=new']));
  });

  it('a folder never fsynced into its parent is lost with all it contains', () => {
    const disk = new HistoryBuilder(EMPTY);
    const folder = disk.create('f', 'folder', 1, 2);
    disk.create('f/a', 'file', 3, 4);
    disk.sync(folder, 5, 6);
    expect(possible(disk.close(6), 6)).toEqual(new Set(['', 'f/ f/a=']));
  });

  it('a deletion and a new size may be lost like any other change', () => {
    const disk = new HistoryBuilder({
      folders: [],
      files: new Map([
        ['a', Buffer.from('abcd')],
        ['b', Buffer.from('z')],
      ]),
    });
    disk.resize(disk.lookup('a')!, 2, 'any', 1, 2);
    disk.unlink('b', 3, 4);
    expect(possible(disk.close(4), 4)).toEqual(new Set(['a=abcd b=z', 'a=ab b=z', 'a=abcd', 'a=ab']));
  });
});

group('power-cut model: torn writes', () => {
  const sectors = (text: string): Buffer => Buffer.concat([...text].map((letter) => Buffer.alloc(512, letter)));
  const letters = (bytes: Buffer | undefined): string =>
    Array.from({ length: Math.ceil((bytes?.length ?? 0) / 512) }, (_, at) =>
      String.fromCharCode(bytes?.[at * 512] ?? 0),
    ).join('');
  const after = (old: string, fate: Fate): Buffer | undefined => {
    const disk = new HistoryBuilder({ folders: [], files: new Map([['a', sectors(old)]]) });
    disk.write(disk.lookup('a')!, 512, sectors('XYZ'), 1, 2);
    return diskAfterCut(disk.close(2), 2, () => fate).files.get('a');
  };

  it('overwritten sectors mix old and new, and growth leaves gaps', () => {
    expect(
      letters(after('abcd', { kind: 'torn', sector: 512, kept: [true, false, true], size: 'whole', gaps: 'zeros' })),
    ).toBe('aXcZ');
    expect(
      letters(after('ab', { kind: 'torn', sector: 512, kept: [false, false, true], size: 'whole', gaps: 'zeros' })),
    ).toBe('ab\0Z');
    expect(
      letters(after('ab', { kind: 'torn', sector: 512, kept: [true, false, false], size: 'kept', gaps: 'zeros' })),
    ).toBe('aX');
    const garbage = after('ab', {
      kind: 'torn',
      sector: 512,
      kept: [false, false, true],
      size: 'whole',
      gaps: 'garbage',
    });
    expect(garbage?.subarray(512, 1024)).toEqual(Buffer.alloc(512, 'b'));
    expect(garbage?.subarray(1024, 1536).every((byte) => byte === 0)).toBe(false);
    expect(garbage?.subarray(1536)).toEqual(Buffer.alloc(512, 'Z'));
  });

  it('sectors of 4096 bytes start at multiples of 4096 in the file, wherever a write begins', () => {
    const disk = new HistoryBuilder({ folders: [], files: new Map([['a', Buffer.alloc(8192, 'o')]]) });
    disk.write(disk.lookup('a')!, 4000, Buffer.alloc(200, 'n'), 1, 2);
    const bytes = diskAfterCut(disk.close(2), 2, () => ({
      kind: 'torn',
      sector: 4096,
      kept: [false, true],
      size: 'whole',
      gaps: 'zeros',
    })).files.get('a');
    expect(bytes?.subarray(3999, 4201).toString()).toBe(`${'o'.repeat(97)}${'n'.repeat(104)}o`);
  });
});

group('power-cut plan', () => {
  const disk = new HistoryBuilder(EMPTY);
  const a = disk.create('a', 'file', 1, 2);
  for (let at = 0; at < 5; at++) disk.write(a, at * 3000, Buffer.alloc(3000, 65 + at), 3 + at * 2, 4 + at * 2);
  const history = disk.close(14);

  it('a seed and a number name one disk, alone and within the whole plan', () => {
    const numbered = [...take(crashStates(history, 7), 400)];
    for (const state of [numbered[0]!, numbered[57]!, numbered[399]!]) {
      const again = crashState(history, 7, state.number);
      const [one, other] = [state, again].map(({ event, fates }) =>
        treeHash(diskAfterCut(history, event, (op) => fates.get(op.index) ?? KEPT)),
      );
      expect(one).toBe(other);
    }
  });

  it('rebuilt bytes equal freshly made ones', () => {
    const contents = new Contents(history);
    for (const { event, fates, number } of take(crashStates(history, 7), 1000)) {
      const fate = (op: DiskOp): Fate => fates.get(op.index) ?? KEPT;
      expect(
        differences(diskAfterCut(history, event, fate), diskAfterCut(history, event, fate, contents)),
        `state ${number}`,
      ).toEqual([]);
    }
  });

  it('two halves of the plan are the whole plan', () => {
    const whole = [...take(crashStates(history, 7), 300)].map(({ number }) => number);
    const halves = [0, 1].flatMap((half) =>
      [
        ...take(
          crashStates(history, 7, (cut) => cut % 2 === half),
          300,
        ),
      ].map(({ number }) => number),
    );
    expect(whole.filter((number) => !halves.includes(number))).toEqual([]);
  });

  it('each cut begins with none, all, each change dropped alone and each change applied alone', () => {
    const last = [...take(crashStates(history, 7), 400)].filter(
      ({ kind, event }) => kind === 'extreme' && event === 12,
    );
    const kinds = last.map(({ pending, fates }) => pending.map((op) => fates.get(op.index)?.kind[0]).join(''));
    for (const wanted of ['dddddd', 'kkkkkk', 'dkkkkk', 'kddddd', 'kkkkkd', 'dddddk', 'kkktkk', 'dddtdd'])
      expect(kinds).toContain(wanted);
  });
});

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}
