import { useState, type ReactNode } from 'react';
import type { AnalysisRepository, TraceImage, UnsavedForm } from '../../../data/repositories';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { draftFromForm, EMPTY_DRAFT, totalOf } from '../../../domain/analysis/free-draw/expert-categories';
import { ReefError } from '../../../domain/errors';
import type { AnalysisId } from '../../../domain/ids';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Note } from '../../../ui/feedback/Note';
import { Switch } from '../../../ui/controls/Switch';
import { OtherTabNote } from '../work/OtherTabNote';
import type { WorkTabState } from '../work/use-work-tab';
import { CoverFields } from './CoverFields';
import styles from './expert.module.css';
import { formatPercent, sumText } from './expert-text';
import { useFormDraft } from './use-form-draft';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'saveExpertForm' | 'formJournal'>;
  readonly image: TraceImage;
  readonly stored: Awaited<ReturnType<AnalysisRepository['expertForm']>>;
  readonly unsaved: UnsavedForm | null;
  readonly tab: WorkTabState;
  readonly onSaved: () => void;
  readonly actions: ReactNode;
}

/** Percentage form (2§2 "Expert percentage form"). */
export function ExpertForm({ analyses, image, stored, unsaved, tab, onSaved, actions: ways }: Props) {
  const { draft, isUnsaved, isRestored, journalState, change, retry, settle, markSaved } = useFormDraft({
    analyses,
    image,
    stored: stored === null ? EMPTY_DRAFT : draftFromForm(stored.form),
    unsaved: unsaved?.draft ?? null,
    setQueue: tab.setQueue,
  });
  const [analysisId, setAnalysisId] = useState<AnalysisId | null>(stored?.analysisId ?? null);
  const [isAsking, setAsking] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const isLocked = (stored?.readOnly ?? null) !== null;
  const isReadOnly = isLocked || tab.isElsewhere;
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
    settle()
      .then(() => analyses.saveExpertForm(image, analysisId, form))
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
      <OtherTabNote tab={tab} />
      {isLocked && (
        <Note icon="lock" title="View only" role="status">
          The saved form is damaged or was made by another version of the app. It stays unchanged.
        </Note>
      )}
      {isRestored && isUnsaved && !isReadOnly && (
        <Note tone="wait" icon="info" title="Entered earlier, not saved yet" role="status">
          Your entries are as you left them. Press Save to save them.
        </Note>
      )}
      {(unsaved?.damaged ?? 0) > 0 && (
        <Note tone="look" icon="alert" title="Some entries are lost">
          This tablet’s storage lost part of what was typed here. Everything else is here.
        </Note>
      )}
      {journalState.pending > 0 && journalState.failed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title="The last entries are not stored yet"
          action={<Button onPress={retry}>Try again</Button>}
        >
          {journalFailedText(journalState.failed)}
        </Note>
      )}
      <CoverFields regionId={image.survey.regionId} draft={draft} isOff={isOff} onChange={change} />
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

function journalFailedText(error: unknown): string {
  const code = error instanceof ReefError ? error.code : null;
  if (code === 'forbidden')
    return 'Work on this form continued in another tab of this browser. Continue there, or open it here again: what was typed here since then cannot be added.';
  return `${code === 'storage-full' ? 'This tablet is full.' : 'This tablet could not write.'} They are only on this page: keep it open. Saving retries automatically.`;
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
