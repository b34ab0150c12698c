import { describe, expect, it } from 'vitest';
import { createDataset, datasetSchema, deleteDataset, editDataset, restoreDataset } from './dataset';

const BODY = {
  id: 'grc7',
  regionId: 'gbr',
  name: 'Great Reef Census 7',
  shortName: 'GRC7',
  startDate: '2026-09-01',
  endDate: '2027-03-01',
};
const at = (now: string) => ({ now });
const DATASET = createDataset(BODY, at('2026-08-01T00:00:00.000Z'));
const refusal = (field: string, message: RegExp) =>
  expect.objectContaining({ code: 'bad-message', details: { field }, message: expect.stringMatching(message) });

describe('1§3 dataset', () => {
  it('1§3 a dataset is created with all fields of the record', () => {
    expect(DATASET).toEqual({
      ...BODY,
      stats: { surveys: 0, images: 0 },
      isDeleted: false,
      createdAt: '2026-08-01T00:00:00.000Z',
      updatedAt: '2026-08-01T00:00:00.000Z',
    });
    expect(datasetSchema.parse({ ...DATASET, colour: 'red' })).toMatchObject({ colour: 'red' });
  });

  it.each([
    [{ id: undefined }, 'id', /Dataset ID is required/],
    [{ id: '' }, 'id', /Dataset ID is required/],
    [{ id: '../x' }, 'id', /letters, digits/],
    [{ regionId: 'mars' }, 'regionId', /./],
    [{ name: ' ' }, 'name', /Name is required/],
    [{ name: 'a\nb' }, 'name', /control characters/],
    [{ shortName: 'x'.repeat(41) }, 'shortName', /at most 40/],
    [{ startDate: '2026-02-30' }, 'startDate', /must be a day/],
    [{ endDate: '2026-08-31' }, 'endDate', /before it starts/],
    [{ stats: { surveys: 5, images: 5 } }, 'stats', /cannot be set/],
  ])('1§5 %j is refused by field and in words', (change, field, message) => {
    expect(() => createDataset({ ...BODY, ...change }, at('x'))).toThrow(refusal(field, message));
  });

  it('1§3 an edit changes names and dates, and nothing that others refer to', () => {
    const edited = editDataset(DATASET, { name: ' Census 7 ', endDate: '2027-02-01' }, at('later'));
    expect(edited).toEqual({ ...DATASET, name: 'Census 7', endDate: '2027-02-01', updatedAt: 'later' });
    expect(() => editDataset(DATASET, { id: 'other' }, at('x'))).toThrow(refusal('id', /cannot be set/));
    expect(() => editDataset(DATASET, { startDate: '2028-01-01' }, at('x'))).toThrow(refusal('endDate', /before/));
    expect(() => editDataset(DATASET, 'GRC8', at('x'))).toThrow(refusal('body', /./));
  });

  it('1§4 deletion is soft, happens once, ends edits, and can be undone', () => {
    const deleted = deleteDataset(DATASET, at('then'));
    expect(deleted).toEqual({ ...DATASET, isDeleted: true, deletedAt: 'then', updatedAt: 'then' });
    expect(deleteDataset(deleted, at('again'))).toBe(deleted);
    expect(() => editDataset(deleted, { name: 'x' }, at('x'))).toThrow(refusal('id', /was deleted/));
    const restored = restoreDataset(deleted, at('later'));
    expect(restored).toEqual({ ...DATASET, isDeleted: false, deletedAt: null, updatedAt: 'later' });
    expect(restoreDataset(restored, at('again'))).toBe(restored);
    expect(editDataset(restored, { name: 'x' }, at('x')).name).toBe('x');
  });
});
