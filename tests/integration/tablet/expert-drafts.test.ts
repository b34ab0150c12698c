import { afterEach, expect, test, vi } from 'vitest';
import type { FormDraft } from '../../../src/domain/analysis/free-draw/expert-categories';
import type { PersonId } from '../../../src/domain/ids';
import type { ObservableValue } from '../../../src/base/observable';
import type { Person } from '../../../src/data/repositories';
import { setCurrentPerson } from '../../../src/data/repositories/account/person';
import { writeLocalSetting, readLocalSetting } from '../../../src/platform/local-settings';
import { analysisOps, items, open, withPhotograph } from '../../support/tablet/analyses';

const draft = (texts: FormDraft['texts'], more: Partial<FormDraft> = {}): FormDraft => ({
  texts,
  dominantCoral: '',
  isBadImage: false,
  ...more,
});

afterEach(() => vi.unstubAllGlobals());

test('2§2 typed percentages survive a kill as typed, until a save takes them', async () => {
  const first = await open();
  const { image } = await withPhotograph(first);
  const { analyses } = first.repositories.census;
  expect(await analyses.formDraft(image)).toBeNull();
  const journal = analyses.formJournal(image);
  await Promise.all([
    journal.apply(draft({ 'branching-live': '1' })),
    journal.apply(draft({ 'branching-live': '12,' })),
    journal.apply(draft({ 'branching-live': '12,', 'sand-live': '3' })),
    journal.apply(draft({ 'branching-live': '12,' }, { dominantCoral: 'Acropora' })),
  ]);
  await journal.apply(draft({ 'branching-live': '12,' }, { dominantCoral: 'Acropora' }));
  expect(await first.context.store.db.journals.toCollection().primaryKeys()).toEqual(
    [1, 2, 3, 4, 5].map((n) => expect.stringMatching(new RegExp(`/form/${image.id}/0000000${n}$`))),
  );
  const again = await open(first.origin, first.database);
  const { analyses: later } = again.repositories.census;
  const typed = draft({ 'branching-live': '12,' }, { dominantCoral: 'Acropora' });
  expect(await later.formDraft(image)).toEqual({ draft: typed, damaged: 0 });
  expect(await items(later.unfinished, (all) => all.length > 0)).toMatchObject([
    { kind: 'form', version: 3, imageId: image.id, surveyName: 'Agincourt', marks: 2 },
  ]);
  const form = { percent: { 'branching-live': 12 }, dominantCoral: 'Acropora', isBadImage: false };
  const id = await later.saveExpertForm(image, null, form);
  expect(await again.context.store.db.journals.count()).toBe(0);
  expect(await later.formDraft(image)).toBeNull();
  expect(await later.expertForm(image)).toEqual({ analysisId: id, form, readOnly: null });

  // An edit of the saved form begins with it, and replaces it.
  await later
    .formJournal(image)
    .apply(draft({ 'branching-live': '12', 'sand-live': '5' }, { dominantCoral: 'Acropora' }));
  const third = await open(first.origin, first.database);
  expect((await third.repositories.census.analyses.formDraft(image))?.draft).toEqual(
    draft({ 'branching-live': '12', 'sand-live': '5' }, { dominantCoral: 'Acropora' }),
  );
  expect(await third.repositories.census.analyses.saveExpertForm(image, id, form)).toBe(id);
  expect(analysisOps(third)).toHaveLength(2);
});

test('2§2 typed percentages follow a person whose id changes ashore', async () => {
  const tablet = await open();
  const { image } = await withPhotograph(tablet);
  const { analyses } = tablet.repositories.census;
  await analyses.formJournal(image).apply(draft({ 'sand-live': '7' }));
  const person = tablet.context.person as ObservableValue<Person | null>;
  await setCurrentPerson(tablet.context.store, person, {
    ...person.get()!,
    uid: 'ashoreAshoreAsho' as PersonId,
    pending: false,
  });
  expect(await analyses.formDraft(image)).toEqual({ draft: draft({ 'sand-live': '7' }), damaged: 0 });
  await analyses.formJournal(image).apply(draft({ 'sand-live': '8' }));
  expect(await tablet.context.store.db.journals.count()).toBe(3);
});

test('2§2 a write that the storage refuses is reported, and the next one contains it', async () => {
  const tablet = await open();
  const { image } = await withPhotograph(tablet);
  const { analyses } = tablet.repositories.census;
  const journal = analyses.formJournal(image);
  await journal.apply(draft({ 'sand-live': '1' }));
  const { db } = tablet.context.store;
  const full = (): never => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  db.journals.hook('creating', full);
  await expect(journal.apply(draft({ 'sand-live': '12' }))).rejects.toMatchObject({ code: 'storage-full' });
  db.journals.hook('creating').unsubscribe(full);
  await journal.apply(draft({ 'sand-live': '12', 'rubble-live': '4' }));
  expect((await analyses.formDraft(image))?.draft).toEqual(draft({ 'sand-live': '12', 'rubble-live': '4' }));
  const two = await open(tablet.origin, tablet.database);
  await two.repositories.census.analyses.formJournal(image).apply(draft({ 'sand-live': '13' }));
  await expect(journal.apply(draft({ 'sand-live': '14' }))).rejects.toMatchObject({
    code: 'forbidden',
    details: { field: 'journal' },
  });
});

test('2§2 a draft that an older app left in the browser’s settings is read once, and moved', async () => {
  const settings = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => settings.get(name) ?? null,
    setItem: (name: string, value: string) => void settings.set(name, value),
  });
  const tablet = await open();
  const { image } = await withPhotograph(tablet);
  const { analyses } = tablet.repositories.census;
  const uid = tablet.repositories.account.people.current.get()!.uid;
  const name = `expert.form.${uid}.${image.id}`;
  const old = draft({ 'sand-live': '40' }, { isBadImage: true });
  writeLocalSetting(name, JSON.stringify(old));
  const { db } = tablet.context.store;
  const full = (): never => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  db.journals.hook('creating', full);
  expect(await analyses.formDraft(image)).toEqual({ draft: old, damaged: 0 });
  expect(readLocalSetting(name)).toBe(JSON.stringify(old));
  db.journals.hook('creating').unsubscribe(full);
  expect(await analyses.formDraft(image)).toEqual({ draft: old, damaged: 0 });
  expect(readLocalSetting(name)).toBe('');
  expect(await db.journals.count()).toBe(2);
  expect(await analyses.formDraft(image)).toEqual({ draft: old, damaged: 0 });
});
