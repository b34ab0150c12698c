import { Label, Radio, RadioGroup } from 'react-aria-components';
import field from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import styles from './Segmented.module.css';

interface Props<T extends string> {
  readonly label: string;
  /** Named for screen readers alone: the options say enough. */
  readonly isLabelHidden?: boolean;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** Single choice of a few, all visible. */
export function Segmented<T extends string>({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
  help,
  error,
  isDisabled = false,
}: Props<T>) {
  const pick = (chosen: string) => {
    const option = options.find((each) => each.value === chosen);
    if (option !== undefined) onChange(option.value);
  };
  return (
    <RadioGroup
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      value={value}
      onChange={pick}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      orientation="horizontal"
      className={`${field.field} ${styles.marked}`}
    >
      {!isLabelHidden && <Label className={field.label ?? ''}>{label}</Label>}
      <div className={styles.options}>
        {options.map((option) => (
          <Radio key={option.value} value={option.value} className={styles.option ?? ''}>
            {option.label}
          </Radio>
        ))}
      </div>
      <FieldHelp help={help} error={error} />
    </RadioGroup>
  );
}
