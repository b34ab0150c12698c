import { expect, test } from 'vitest';
import type { SurveyId } from '../../../domain/ids';
import { createDraftJournal } from './draft-journal';

const ID = 'survey0000000001' as SurveyId;

/** Two tabs over one storage, and the view of a third. */
function tabs() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const [one, two] = [createDraftJournal(() => storage), createDraftJournal(() => storage)];
  for (const tab of [one, two]) tab.read(ID);
  return { one, two, storage, found: () => createDraftJournal(() => storage).read(ID), size: () => kept.size };
}

test('3§5 entries of two tabs survive a reload, and each tab removes only its own', () => {
  const { one, two, found, size } = tabs();
  one.write(ID, { date: '2027-11-20' });
  two.write(ID, { point: '95, 146' });
  expect(found()).toEqual({ date: '2027-11-20', point: '95, 146' });
  one.write(ID, { date: '2027-11-20', camera: 'TG-6' });
  one.write(ID, { date: '2027-11-20' });
  expect(found(), 'what was written is forgotten, the other tab is not').toEqual({
    date: '2027-11-20',
    point: '95, 146',
  });
  one.write(ID, {});
  two.write(ID, {});
  expect([found(), size()]).toEqual([{}, 0]);
});

test('3§5 of one field in two tabs the later entry wins and the first tab keeps its own', () => {
  const { one, two, found } = tabs();
  one.write(ID, { date: '2027-11-20' });
  two.write(ID, { date: '2028-01-01' });
  one.write(ID, {});
  expect(found()).toEqual({ date: '2028-01-01' });
});

test('3§5 a tab opened later does not restore what the first one corrected', () => {
  const { one, found, storage } = tabs();
  one.write(ID, { date: '2027-11-20', answers: { coral: '10 to 30%' } });
  const late = createDraftJournal(() => storage);
  const read = late.read(ID);
  one.write(ID, {});
  late.write(ID, { ...read, point: '95, 146', answers: { ...read.answers, crownOfThorns: 'I don’t know' } });
  expect(found()).toEqual({ point: '95, 146', answers: { crownOfThorns: 'I don’t know' } });
});

test('refused storage causes no failure', () => {
  const refused = createDraftJournal(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  expect(refused.read(ID)).toEqual({});
  expect(() => refused.write(ID, { camera: 'TG-6' })).not.toThrow();
});
