import { parseTime, type Time } from '@internationalized/date';
import { DateInput, DateSegment, Label, TimeField as AriaTimeField } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import segments from './Segments.module.css';

interface Props {
  readonly label: string;
  /** `HH:MM`, 24 hours; an invalid time shows as an empty field. */
  readonly value: string | null;
  /** Called once hours and minutes are complete; null when the field is cleared. */
  readonly onChange: (value: string | null) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** 24 hours, as in a log. */
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
