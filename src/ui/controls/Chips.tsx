import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import styles from './Chips.module.css';

interface Props<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string; readonly count?: number | undefined }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Exactly one is selected. */
export function Chips<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const option = options.find((each) => keys.has(each.value));
        if (option !== undefined) onChange(option.value);
      }}
      className={styles.chips ?? ''}
    >
      {options.map((option) => (
        <ToggleButton key={option.value} id={option.value} className={styles.chip ?? ''}>
          {option.label}
          {option.count !== undefined && <span className={styles.count}>{option.count.toLocaleString('en')}</span>}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
