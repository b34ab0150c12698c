import { KeyedMutex } from '../../../base/keyed-mutex';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { draftFromForm, EMPTY_DRAFT, parseDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { readExpertForm } from '../../../domain/analysis/free-draw/expert-form';
import type { AnalysisId, ImageId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import { shownWrites } from '../../../domain/op/draft';
import { WHOLE } from '../../../domain/op/op';
import { readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';
import type { FormEdit } from '../../ops/journals/form-journal';
import { FORM_JOURNAL, formEditBetween, replayForm } from '../../ops/journals/form-journal';
import type { JournalBase } from '../../ops/journals/journal-rows';
import type { RepositoryContext } from '../repository-context';
import { absorbsForm, saveForm, storedForm, storedRecords } from './analysis-records';
import { JournalledWork } from './journalled-work';
import type { OwnAnalyses } from './own-analyses';
import type { AnalysisRepository, TraceImage, UnsavedForm } from './types';

/** Local setting in which an older app held the draft of one of a person's ids. */
const oldDraftName = (uid: string, imageId: ImageId): string => `expert.form.${uid}.${imageId}`;

/** Percentages of experts in the repository. */
export function formWork(
  parts: RepositoryContext,
  own: OwnAnalyses,
): Pick<AnalysisRepository, 'expertForm' | 'formDraft' | 'formJournal' | 'saveExpertForm'> {
  const { store, access } = parts;
  const mutex = new KeyedMutex<ImageId>();
  /** Draft that each journal holds now; edits are differences to it. */
  const drafts = new Map<ImageId, FormDraft>();

  const open = async (image: TraceImage): Promise<UnsavedForm | null> => {
    const name = await work.nameOf(image.id);
    if (name === null) return null;
    const stored = (await storedRecords(parts, own, image)).find(absorbsForm);
    const read = await work.read(name);
    const base =
      read.begin?.base ??
      (stored === undefined
        ? null
        : { analysisId: stored.id, writes: shownWrites(stored.state.folded, WHOLE), body: formMember(stored.body) });
    work.set(name, {
      base,
      analysisId: read.begin?.analysisId ?? base?.analysisId ?? makeId<AnalysisId>(store.host.randomBytes),
      readOnly: stored?.read.kind === 'other-version' ? 'other-version' : null,
    });
    const draft = replayForm(read.edits, draftOfBase(base));
    drafts.set(image.id, draft);
    return read.at === null ? importOldDraft(image) : { draft, damaged: read.damaged };
  };

  const append = async (
    image: TraceImage,
    journal: (edit: FormEdit) => Promise<void>,
    draft: FormDraft,
  ): Promise<void> => {
    const edit = formEditBetween(drafts.get(image.id) ?? EMPTY_DRAFT, draft);
    if (edit === null) return;
    await journal(edit);
    drafts.set(image.id, draft);
  };

  /** Moves a draft of an older app into the journal. One that cannot be moved now stays, and is shown. */
  const importOldDraft = async (image: TraceImage): Promise<UnsavedForm | null> => {
    for (const uid of access.ownIds) {
      const draft = parseDraft(readLocalSetting(oldDraftName(uid, image.id)));
      if (draft === null) continue;
      try {
        await append(image, work.journal(image), draft);
        writeLocalSetting(oldDraftName(uid, image.id), '');
      } catch (error) {
        store.host.log.note('warn', 'Typed percentages could not be moved into the journal yet.', {
          error: String(error),
        });
      }
      return { draft, damaged: 0 };
    }
    return null;
  };

  const work = new JournalledWork(parts, {
    codec: FORM_JOURNAL,
    open,
    begin: () => ({}),
    storedIds: async (id) => (await storedRecords(parts, own, { id })).filter(absorbsForm).map((record) => record.id),
  });

  return {
    expertForm: (image) => storedForm(parts, own, image),
    formDraft: open,
    formJournal: (image) => {
      const journal = work.journal(image);
      return {
        apply: (draft) =>
          mutex.run(image.id, async () => {
            if (!drafts.has(image.id)) await open(image);
            await append(image, journal, draft);
          }),
      };
    },
    saveExpertForm: async (image, analysisId, form) => {
      const after = await work.save(image, undefined, async (state, journal) => {
        const saved = await saveForm(parts, own, image, analysisId, form, state.analysisId, journal);
        drafts.set(image.id, draftFromForm(form));
        return { ...state, analysisId: saved.analysisId, base: { ...saved, body: formMember(saved.body) } };
      });
      return after.analysisId;
    },
  };
}

/** Member of a record that a form writes. */
const formMember = ({ analysis }: JsonObject): JsonObject => (analysis === undefined ? {} : { analysis });

/** Draft with which the work began. */
export function draftOfBase(base: JournalBase | null): FormDraft {
  const form = base === null ? null : readExpertForm(base.body);
  return form === null ? EMPTY_DRAFT : draftFromForm(form);
}
