import { useState } from 'react';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { parseDraft, serialiseDraft } from '../../../domain/analysis/free-draw/expert-categories';
import type { ImageId } from '../../../domain/ids';
import { readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';

interface FormDraftState {
  readonly draft: FormDraft;
  readonly isUnsaved: boolean;
  /** True if the unsaved draft was typed before this page was opened. */
  readonly isRestored: boolean;
  /** Stores the draft at once, so a reload or a power loss loses nothing. */
  readonly change: (draft: FormDraft) => void;
  readonly markSaved: () => void;
}

const keyOf = (uid: string, imageId: ImageId): string => `expert.form.${uid}.${imageId}`;

/** @param stored the saved form; an unsaved newer draft takes precedence */
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
