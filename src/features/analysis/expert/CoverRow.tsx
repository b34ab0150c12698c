import { categoryType } from '../../../domain/analysis/free-draw/categories';
import type { ExpertCategory, FieldState } from '../../../domain/analysis/free-draw/expert-categories';
import { fieldName } from '../../../domain/analysis/free-draw/expert-categories';
import { TextField } from '../../../ui/controls/TextField';
import { Swatch } from '../stage/Swatch';
import styles from './expert.module.css';
import { fieldError } from './expert-text';

interface Props {
  readonly category: ExpertCategory;
  readonly texts: Readonly<Record<string, string>>;
  readonly isOff: boolean;
  readonly onType: (name: string, text: string) => void;
}

/** Percentage fields of one category: live, and dead where the category has such a field. */
export function CoverRow({ category: { id, label, hint, shownAs, style, hasDead }, texts, isOff, onType }: Props) {
  const type = categoryType(shownAs);
  const field = (state: FieldState) => {
    const name = fieldName(id, state);
    const text = texts[name] ?? '';
    const fieldLabel = hasDead ? { live: 'Live', dead: 'Dead' }[state] : 'Cover';
    return (
      <TextField
        label={fieldLabel}
        value={text}
        onChange={(typed) => onType(name, typed)}
        error={isOff ? undefined : fieldError(text)}
        isDisabled={isOff}
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
      />
    );
  };
  return (
    <li>
      <div role="group" aria-label={label} className={styles.row}>
        <span className={styles.swatch}>
          {type !== undefined && <Swatch of={{ type: { ...type, ...style }, mod: undefined }} />}
        </span>
        <span className={styles.name}>
          <b>{label}</b>
          <span>{hint}</span>
        </span>
        {field('live')}
        {hasDead && field('dead')}
      </div>
    </li>
  );
}
