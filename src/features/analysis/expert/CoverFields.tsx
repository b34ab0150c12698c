import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { expertCategories } from '../../../domain/analysis/free-draw/expert-categories';
import { TextField } from '../../../ui/controls/TextField';
import { CoverRow } from './CoverRow';
import styles from './expert.module.css';

interface Props {
  /** Region of the photograph, which has its own categories; null: none. */
  readonly regionId: string | null;
  readonly draft: FormDraft;
  readonly isOff: boolean;
  readonly onChange: (draft: FormDraft) => void;
}

/** Percentage of each category and the dominant coral. */
export function CoverFields({ regionId, draft, isOff, onChange }: Props) {
  return (
    <fieldset className={styles.fields}>
      <legend>Cover, as a percentage of the photograph</legend>
      <ul className={styles.rows}>
        {expertCategories(regionId).map((category) => (
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
