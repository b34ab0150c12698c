import { Group, Input, Label, NumberField as AriaNumberField } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';

interface Props {
  readonly label: string;
  /** Unit such as `m`, `min`; read out with the label. */
  readonly unit?: string | undefined;
  readonly value: number | null;
  /** Called on blur or arrow-key steps; null for an empty field. */
  readonly onChange: (value: number | null) => void;
  /** For the arrow keys. Typed values outside stay: explain them in `error`. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Arrow-key step; default 1. */
  readonly step?: number | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

export function NumberField({ label, unit, value, onChange, min, max, step, help, error, isDisabled = false }: Props) {
  return (
    <AriaNumberField
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      {...(min === undefined ? {} : { minValue: min })}
      {...(max === undefined ? {} : { maxValue: max })}
      {...(step === undefined ? {} : { step })}
      commitBehavior="validate"
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      validationBehavior="aria"
      isWheelDisabled
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>
        {label}
        {unit !== undefined && <span className={styles.heard}>, {unit}</span>}
      </Label>
      <Group className={`${styles.input} ${styles.row} ${styles.number}`}>
        <Input />
        {unit !== undefined && (
          <span className={styles.unit} aria-hidden="true">
            {unit}
          </span>
        )}
      </Group>
      <FieldHelp help={help} error={error} />
    </AriaNumberField>
  );
}
