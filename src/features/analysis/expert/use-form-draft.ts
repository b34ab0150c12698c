import { useState } from 'react';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { parseDraft, serialiseDraft } from '../../../domain/analysis/free-draw/expert-categories';
import type { ImageId } from '../../../domain/ids';
import { readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';

/** What is typed in the form of a photograph by a person. */
export interface FormDraftState {
  readonly draft: FormDraft;
  /** Something is typed that is not saved. */
  readonly isUnsaved: boolean;
  /** It was typed before this page was opened, and not saved. */
  readonly isRestored: boolean;
  /** Kept at once: a reload, or a tablet that goes out, loses nothing. */
  readonly change: (draft: FormDraft) => void;
  /** What stands is saved: nothing waits any more. */
  readonly markSaved: () => void;
}

const keyOf = (uid: string, imageId: ImageId): string => `expert.form.${uid}.${imageId}`;

/** @param stored the saved form; what was typed after it and not saved takes its place */
export function useFormDraft(uid: string, imageId: ImageId, stored: FormDraft): FormDraftState {
  const key = keyOf(uid, imageId);
  const [before] = useState(() => parseDraft(readLocalSetting(key)));
  const [draft, setDraft] = useState(before ?? stored);
  const [isUnsaved, setUnsaved] = useState(before !== null);
  const [isFromBefore, setFromBefore] = useState(before !== null);
  return {
    draft,
    isUnsaved,
    isRestored: isFromBefore,
    change: (next) => {
      writeLocalSetting(key, serialiseDraft(next));
      setDraft(next);
      setUnsaved(true);
    },
    markSaved: () => {
      writeLocalSetting(key, '');
      setUnsaved(false);
      setFromBefore(false);
    },
  };
}
