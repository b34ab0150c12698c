import { parseTime, type Time } from '@internationalized/date';
import { DateInput, DateSegment, Label, TimeField as AriaTimeField } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import segments from './Segments.module.css';

interface Props {
  readonly label: string;
  /** `HH:MM`, 24 hours; what is no such time is shown as an empty field. */
  readonly value: string | null;
  /** Told once hours and minutes stand; null when the field was emptied. */
  readonly onChange: (value: string | null) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** A time of day in two parts, 24 hours as a log has it. */
export function TimeField({ label, value, onChange, help, error, isDisabled = false }: Props) {
  return (
    <AriaTimeField
      value={parseTimeOfDay(value)}
      onChange={(time) => onChange(time === null ? null : time.toString().slice(0, 5))}
      hourCycle={24}
      shouldForceLeadingZeros
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      validationBehavior="aria"
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      <DateInput className={`${styles.input} ${segments.segments}`}>
        {(segment) => <DateSegment segment={segment} className={segments.segment ?? ''} />}
      </DateInput>
      <FieldHelp help={help} error={error} />
    </AriaTimeField>
  );
}

function parseTimeOfDay(text: string | null): Time | null {
  return text !== null && /^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? parseTime(text) : null;
}
