import { parseDate, type CalendarDate } from '@internationalized/date';
import { useState } from 'react';
import { DateField as AriaDateField, DateInput, DateSegment, I18nProvider, Label } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import segments from './Segments.module.css';

interface Props {
  readonly label: string;
  /** `YYYY-MM-DD`; what is no such day is shown as an empty field. */
  readonly value: string | null;
  /** Told once day, month and year stand (a year of fewer than four figures when the field is left); null when the field was emptied. */
  readonly onChange: (value: string | null) => void;
  /** First and last day that are right; a day beyond is kept as entered and marked: say in `error` what is wrong. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

/** A day in three parts, typed or stepped with the arrow keys: day, month, year, as every date of the census stands (3§9), whatever the tablet's language. */
export function DateField({ label, value, onChange, min, max, help, error, isDisabled = false }: Props) {
  const first = parseDay(min);
  const last = parseDay(max);
  /** While the year is typed: `2` of 2026 is the year 2, and nobody should be told that it is wrong. */
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
    // `2026-02-31` has the form of a day and is none.
    if (error instanceof Error) return null;
    throw error;
  }
}
