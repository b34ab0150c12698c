import { Group, Input, Label, NumberField as AriaNumberField } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';

interface Props {
  readonly label: string;
  /** Stands behind the figure: `m`, `min`. Screen readers hear it with the label. */
  readonly unit?: string | undefined;
  readonly value: number | null;
  /** Told when the person leaves the field or steps with the arrow keys; null for an empty field. */
  readonly onChange: (value: number | null) => void;
  /** Bounds of the arrow keys. What is typed beyond them is kept as typed: say in `error` what is wrong with it. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** One step of the arrow keys; 1 unless told. */
  readonly step?: number | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** A labelled figure with its unit. */
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
