import { memo } from 'react';
import type { LabelOption } from '../../../domain/analysis/labelling/label-sets';
import { Icon } from '../../../ui/display/Icon';
import { PaletteSwatch } from '../../analysis';
import styles from './CategoryList.module.css';
import { useLift } from './use-lift';

interface Props {
  readonly label: string;
  readonly options: readonly LabelOption[];
  readonly chosen: string | null;
  readonly isDisabled: boolean;
  readonly onChoose: (id: string) => void;
}

/** Keys of the options in their order: 1 to 9, 0, then letters that no other command has. */
export const OPTION_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', 'q', 'w', 't', 'y', 'j', 'k'] as const;

/** Category list (2§2): swatch, name, hint and key of each option. */
export const CategoryList = memo(function CategoryList({ label, options, chosen, isDisabled, onChoose }: Props) {
  const { list, click } = useLift(isDisabled ? null : onChoose);
  return (
    <div ref={list} className={styles.list} role="group" aria-label={label} data-many={options.length > 8 || undefined}>
      {options.map(({ id, label: name, hint, palette, stripe, mark }, index) => (
        // A plain button: those of react-aria render at each touch and lift, before the label is painted.
        <button
          key={id}
          type="button"
          className={styles.option}
          aria-pressed={chosen === id}
          aria-keyshortcuts={OPTION_KEYS[index]?.toUpperCase()}
          disabled={isDisabled}
          data-option={id}
          onClick={(event) => click(event, id)}
        >
          <span className={styles.swatch}>
            <PaletteSwatch palette={palette} mark={mark} {...(stripe === undefined ? {} : { stripe })} />
            {chosen === id && (
              <span className={styles.tick}>
                <Icon name="check" />
              </span>
            )}
          </span>
          <span className={styles.name}>
            {name}
            {hint !== '' && <small>{shortHint(hint)}</small>}
          </span>
          <kbd className={styles.key} aria-hidden="true">
            {OPTION_KEYS[index]?.toUpperCase()}
          </kbd>
        </button>
      ))}
    </div>
  );
});

/** Longest hint in one line, characters. */
const HINT_MAX = 28;

/** First clause of a hint, for one line; the rest is in the help. */
function shortHint(hint: string): string {
  const clause = (hint.split(/[:.]/)[0] ?? hint).trim();
  return clause.length <= HINT_MAX ? clause : (clause.split(',')[0] ?? clause);
}
