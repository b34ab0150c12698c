import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import type { OutlineSet } from '../../src/domain/analysis/labelling/outline';
import { OutlineStore } from './outline-store';

const IMAGE = 'Image00000000001';
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function open(home: string, said: string[] = []): OutlineStore {
  const store = new OutlineStore(
    home,
    () => new Date(0),
    (message) => said.push(message),
  );
  ends.push(() => store.close());
  return store;
}

function folder(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-outlines-'));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const set: OutlineSet = {
  source: 'segmentation',
  model: 'segmentation-1',
  width: 800,
  height: 600,
  outlines: [
    {
      id: 's1',
      rings: [
        [
          [0, 0],
          [0.5, 0],
          [0.5, 0.5],
          [0, 0.5],
          [0, 0],
        ],
      ],
      area: 0.25,
      predicted: { id: 's1', pixels: 120_000, icon: 'reef', label: 'reef' },
    },
  ],
};

it('1§7: outlines survive a restart, and later ones replace them', () => {
  const home = folder();
  const first = open(home);
  expect([first.has(IMAGE), first.find(IMAGE)]).toEqual([false, null]);
  first.put(IMAGE, { set: { ...set, outlines: [] }, minSize: 0.001 });
  first.put(IMAGE, { set, minSize: 0.005 });
  first.close();
  const second = open(home);
  expect([second.has(IMAGE), second.find(IMAGE)]).toEqual([true, { set, minSize: 0.005 }]);
});

it('1§7: a damaged collection is deleted, so that the bridge brings it again', () => {
  const home = folder();
  const store = open(home);
  store.put(IMAGE, { set, minSize: 0.005 });
  const database = new Database(path.join(home, 'outlines.db'));
  database.prepare('UPDATE outlines SET collection = ?').run(Buffer.from('damaged'));
  database.close();
  expect([store.find(IMAGE), store.has(IMAGE)]).toEqual([null, false]);
});

it('1§7: a damaged file is put aside and the store starts empty; without a file memory serves', () => {
  const home = folder();
  writeFileSync(path.join(home, 'outlines.db'), 'no database at all'.repeat(100));
  const said: string[] = [];
  expect(open(home, said).has(IMAGE)).toBe(false);
  expect(said[0]).toContain('the bridge brings them again');
  expect(readdirSync(home).some((name) => name.startsWith('outlines.db.broken-'))).toBe(true);
  const blocked = folder();
  mkdirSync(path.join(blocked, 'outlines.db'));
  const store = open(blocked, said);
  store.put(IMAGE, { set, minSize: 0.005 });
  expect(store.find(IMAGE)).toEqual({ set, minSize: 0.005 });
  expect(said[1]).toContain('until the next start');
});
