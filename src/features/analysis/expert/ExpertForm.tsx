import { useState, type ReactNode } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../data/repositories';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import {
  draftFromForm,
  EMPTY_DRAFT,
  EXPERT_CATEGORIES,
  totalOf,
} from '../../../domain/analysis/free-draw/expert-categories';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId } from '../../../domain/ids';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Note } from '../../../ui/feedback/Note';
import { Switch } from '../../../ui/controls/Switch';
import { TextField } from '../../../ui/controls/TextField';
import { CoverRow } from './CoverRow';
import styles from './expert.module.css';
import { formatPercent, sumText } from './expert-text';
import { useFormDraft } from './use-form-draft';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'saveExpertForm'>;
  readonly image: TraceImage;
  readonly stored: Awaited<ReturnType<AnalysisRepository['expertForm']>>;
  readonly uid: string;
  readonly onSaved: () => void;
  readonly actions: ReactNode;
}

/** Percentage form (2§2 "Expert percentage form"). */
export function ExpertForm({ analyses, image, stored, uid, onSaved, actions: ways }: Props) {
  const { draft, isUnsaved, isRestored, change, markSaved } = useFormDraft(
    uid,
    image.id,
    stored === null ? EMPTY_DRAFT : draftFromForm(stored.form),
  );
  const [analysisId, setAnalysisId] = useState<AnalysisId | null>(stored?.analysisId ?? null);
  const [isAsking, setAsking] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const isReadOnly = (stored?.readOnly ?? null) !== null;
  const isOff = draft.isBadImage || isReadOnly || isSaving;
  const sum = totalOf(draft);
  const isOver = !draft.isBadImage && sum.sum > 100;
  const main = submitState(draft, sum.invalidFields.length, isUnsaved, analysisId !== null);

  const write = (): void => {
    setAsking(false);
    setSaving(true);
    setFailed(null);
    // 2§2: "All fields are disabled when bad image is set", and 2§4: a flagged image "clears other entries to bad-image
    // only".
    const form = draft.isBadImage
      ? { percent: {}, dominantCoral: '', isBadImage: true }
      : { percent: sum.percent, dominantCoral: draft.dominantCoral.trim(), isBadImage: false };
    analyses
      .saveExpertForm(image, analysisId, form)
      .then((id) => {
        setAnalysisId(id);
        markSaved();
        onSaved();
      })
      .catch((error: unknown) => {
        console.warn('A form could not be saved:', error);
        setFailed(error);
      })
      .finally(() => setSaving(false));
  };

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!main.isReady || isSaving || isReadOnly) return;
        if (isOver) setAsking(true);
        else write();
      }}
    >
      <div className={styles.sum} data-over={isOver}>
        <output className={styles.figure} aria-label="Sum of all percentages">
          {draft.isBadImage ? '–' : formatPercent(sum.sum)}
        </output>
        <p role="status">{sumText(sum, draft.isBadImage)}</p>
      </div>
      {isReadOnly && (
        <Note icon="lock" title="View only" role="status">
          The saved form is damaged or was made by another version of the app. It stays unchanged.
        </Note>
      )}
      {isRestored && isUnsaved && !isReadOnly && (
        <Note tone="wait" icon="info" title="Entered earlier, not saved yet" role="status">
          Your entries are as you left them. Press Save to save them.
        </Note>
      )}
      <CoverFields draft={draft} isOff={isOff} onChange={change} />
      <Switch
        label="Bad image"
        help="The image cannot be measured. No percentages are saved with it."
        isOn={draft.isBadImage}
        onChange={(isBadImage) => change({ ...draft, isBadImage })}
        isDisabled={isReadOnly || isSaving}
      />
      {failed !== null && (
        <Note tone="look" icon="alert" title={ANALYSIS_MESSAGES.analysisSaveFailed} role="alert">
          {failed instanceof ReefError ? `${failed.message} ` : ''}Your entries are safe on this tablet. Try again.
        </Note>
      )}
      <div className={styles.foot} data-foot>
        <div className={styles.ways}>{ways}</div>
        <Button type="submit" variant="primary" isDisabled={!main.isReady || isSaving || isReadOnly}>
          {isSaving ? 'Saving' : main.text}
        </Button>
      </div>
      <SumDialog sum={sum} isOpen={isAsking} onClose={() => setAsking(false)} onSave={write} />
    </form>
  );
}

function CoverFields({
  draft,
  isOff,
  onChange,
}: {
  readonly draft: FormDraft;
  readonly isOff: boolean;
  readonly onChange: (draft: FormDraft) => void;
}) {
  return (
    <fieldset className={styles.fields}>
      <legend>Cover, as a percentage of the photograph</legend>
      <ul className={styles.rows}>
        {EXPERT_CATEGORIES.map((category) => (
          <CoverRow
            key={category.id}
            category={category}
            texts={draft.texts}
            isOff={isOff}
            onType={(name, text) => onChange({ ...draft, texts: { ...draft.texts, [name]: text } })}
          />
        ))}
      </ul>
      <TextField
        label="Dominant coral"
        help="In your own words: genus, growth form, or whatever you are sure of."
        value={draft.dominantCoral}
        onChange={(dominantCoral) => onChange({ ...draft, dominantCoral })}
        isDisabled={isOff}
        maxLength={200}
      />
    </fieldset>
  );
}

/** Asks before percentages of more than 100 are saved. */
function SumDialog({
  sum,
  isOpen,
  onClose,
  onSave,
}: {
  readonly sum: ReturnType<typeof totalOf>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSave: () => void;
}) {
  return (
    <Dialog
      title={`The percentages add up to ${formatPercent(sum.sum)}`}
      isOpen={isOpen}
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button variant="quiet" onPress={onClose}>
            Change the percentages
          </Button>
          <Button variant="primary" onPress={onSave}>
            Save anyway
          </Button>
        </>
      }
    >
      <p>
        {sumText(sum, false)} This may be right if one growth covers another. The percentages are saved as you entered
        them, never scaled.
      </p>
    </Dialog>
  );
}

/** Label of the submit button, and whether it can be pressed. */
function submitState(
  { texts, dominantCoral, isBadImage }: FormDraft,
  wrong: number,
  isUnsaved: boolean,
  isStored: boolean,
): { readonly isReady: boolean; readonly text: string } {
  if (!isBadImage && wrong > 0)
    return { isReady: false, text: wrong === 1 ? 'Save: one field to correct' : `Save: ${wrong} fields to correct` };
  if (isStored && !isUnsaved) return { isReady: false, text: 'Saved' };
  const isEmpty =
    !isBadImage && dominantCoral.trim() === '' && Object.values(texts).every((text) => text.trim() === '');
  if (isEmpty && !isStored) return { isReady: false, text: 'Save: nothing entered yet' };
  return { isReady: true, text: isStored ? 'Save changes' : 'Save' };
}
