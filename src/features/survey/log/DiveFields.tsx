import { LIMITS } from '../../../domain/limits';
import { SURVEY_LIMITS } from '../../../domain/limits/survey';
import { today } from '../../../domain/survey/day';
import type { LogEdits } from '../../../domain/survey/log';
import { DateField } from '../../../ui/controls/DateField';
import { NumberField } from '../../../ui/controls/NumberField';
import { Segmented } from '../../../ui/controls/Segmented';
import { TimeField } from '../../../ui/controls/TimeField';
import type { LogDraftView } from './log-draft';
import styles from './LogForm.module.css';

interface Props {
  readonly log: LogDraftView;
  readonly enter: (edits: LogEdits) => void;
}

/** Day, time, kind, duration and visibility of the dive. */
export function DiveFields({ log: { values, entered, faults }, enter }: Props) {
  return (
    <>
      <div className={styles.when}>
        <DateField
          label="Date"
          value={entered.date ?? values.date}
          onChange={(date) => enter({ date: date ?? '' })}
          min={LIMITS.surveyDateEarliest}
          max={today(new Date())}
          error={withRestSaved(faults.date)}
        />
        <TimeField
          label="Time in"
          value={entered.timeIn ?? values.timeIn}
          onChange={(timeIn) => enter({ timeIn })}
          error={withRestSaved(faults.timeIn)}
        />
      </div>
      <Segmented
        label="Survey type"
        options={[
          { value: 'scuba', label: 'Scuba' },
          { value: 'snorkel', label: 'Snorkel' },
        ]}
        value={values.type}
        onChange={(type) => enter({ type })}
      />
      <div className={styles.two}>
        <NumberField
          label="Duration"
          unit="min"
          value={entered.duration ?? values.duration}
          onChange={(duration) => enter({ duration })}
          min={1}
          max={SURVEY_LIMITS.durationMax}
          error={withRestSaved(faults.duration)}
        />
        <NumberField
          label="Visibility"
          unit="m"
          value={entered.visibility ?? values.visibility}
          onChange={(visibility) => enter({ visibility })}
          min={0}
          max={SURVEY_LIMITS.visibilityMax}
          error={withRestSaved(faults.visibility)}
        />
      </div>
    </>
  );
}

/** Appends to a fault that the rest is saved. */
export function withRestSaved(fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${fault} The rest is saved.`;
}
