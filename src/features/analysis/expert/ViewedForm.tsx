import { draftFromForm, totalOf } from '../../../domain/analysis/free-draw/expert-categories';
import type { FormFields } from '../../../domain/analysis/free-draw/expert-form';
import { Note } from '../../../ui/feedback/Note';
import { Switch } from '../../../ui/controls/Switch';
import { CoverFields } from './CoverFields';
import styles from './expert.module.css';
import { formatPercent, sumText } from './expert-text';

interface Props {
  readonly regionId: string | null;
  readonly form: FormFields;
  readonly author: string | null;
}

/** Percentages of another expert, view only. */
export function ViewedForm({ regionId, form, author }: Props) {
  const draft = draftFromForm(form);
  const sum = totalOf(draft);
  return (
    <div className={styles.form}>
      <div className={styles.sum}>
        <output className={styles.figure} aria-label="Sum of all percentages">
          {form.isBadImage ? '–' : formatPercent(sum.sum)}
        </output>
        <p>{sumText(sum, form.isBadImage)}</p>
      </div>
      <Note icon="lock" title="View only" role="status">
        {author === null ? 'Someone else' : author} entered these percentages.
      </Note>
      <CoverFields regionId={regionId} draft={draft} isOff onChange={nothing} />
      <Switch
        label="Bad image"
        help="The image cannot be measured. No percentages are saved with it."
        isOn={form.isBadImage}
        onChange={nothing}
        isDisabled
      />
    </div>
  );
}

const nothing = (): void => undefined;
