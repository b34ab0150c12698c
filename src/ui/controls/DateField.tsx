import { parseDate, type CalendarDate } from '@internationalized/date';
import { useState } from 'react';
import { DateField as AriaDateField, DateInput, DateSegment, I18nProvider, Label } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import segments from './Segments.module.css';

interface Props {
  readonly label: string;
  /** `YYYY-MM-DD`; an invalid day shows as an empty field. */
  readonly value: string | null;
  /** Called once complete (a year under four digits on blur); null when cleared. */
  readonly onChange: (value: string | null) => void;
  /** A day outside stays as entered: explain it in `error`. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** Date typed or stepped by segment: day, month, year, as every date of the census (3§9), in any tablet language. */
export function DateField({ label, value, onChange, min, max, help, error, isDisabled = false }: Props) {
  const first = parseDay(min);
  const last = parseDay(max);
  /** Year being typed: `2` of 2026 must not show as an error. */
  const [unfinished, setUnfinished] = useState<CalendarDate | null>(null);
  return (
    <I18nProvider locale="en-AU">
      <AriaDateField
        value={unfinished ?? parseDay(value)}
        onChange={(day) => {
          const short = day !== null && day.year < 1000;
          setUnfinished(short ? day : null);
          if (!short) onChange(day === null ? null : day.toString());
        }}
        onBlur={() => {
          if (unfinished === null) return;
          setUnfinished(null);
          onChange(unfinished.toString());
        }}
        {...(first === null ? {} : { minValue: first })}
        {...(last === null ? {} : { maxValue: last })}
        isInvalid={error !== undefined}
        isDisabled={isDisabled}
        validationBehavior="aria"
        shouldForceLeadingZeros
        className={styles.field ?? ''}
      >
        <Label className={styles.label ?? ''}>{label}</Label>
        <DateInput className={`${styles.input} ${segments.segments}`}>
          {(segment) => <DateSegment segment={segment} className={segments.segment ?? ''} />}
        </DateInput>
        <FieldHelp help={help} error={error} />
      </AriaDateField>
    </I18nProvider>
  );
}

function parseDay(text: string | null | undefined): CalendarDate | null {
  if (text === null || text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  try {
    return parseDate(text);
  } catch (error) {
    // `2026-02-31` has the form of a day and is not valid.
    if (error instanceof Error) return null;
    throw error;
  }
}
