import { formatBytes } from '../../base/format-bytes';
import { formatCount, pluralize } from '../../base/plural';
import type { RescueContents as Found, ImportedRescue } from '../../data/repositories';
import { formatDay } from '../../domain/survey/day';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import styles from './RescueCard.module.css';
import { formatTime } from './custody-text';

interface Props {
  readonly name: string;
  readonly found: Found;
  readonly onTake: () => void;
  readonly onCancel: () => void;
}

export function RescueContentsView({ name, found, onTake, onCancel }: Props) {
  const {
    surveys,
    photographs,
    photographsPresent,
    records,
    recordsPresent,
    truncatedPhotographs,
    bytes,
    deviceName,
    madeAt,
  } = found;
  const all = recordsPresent === records && photographsPresent === photographs;
  return (
    <div className={styles.work} role="group" aria-label="Contents of the rescue copy">
      <p>
        <b>{name}</b>, {formatBytes(bytes)}
      </p>
      <p className={styles.quiet}>
        Made on “{deviceName}”, {formatTime(madeAt, new Date())}: {formatCount(photographs, 'photograph')},{' '}
        {formatCount(records, 'record')}.
        {photographsPresent > 0 &&
          ` ${photographsPresent.toLocaleString('en')} of the photographs are already on this tablet.`}
      </p>
      <ul className={styles.list} aria-label="Surveys in it">
        {surveys.map((survey) => (
          <li key={`${survey.name} ${survey.date}`}>
            {survey.name}
            {survey.date !== '' && `, ${formatDay(survey.date)}`}: {formatCount(survey.photographs, 'photograph')}
          </li>
        ))}
      </ul>
      {truncatedPhotographs > 0 && (
        <Note
          tone="look"
          icon="alert"
          title={`The file ends early: ${formatCount(truncatedPhotographs, 'photograph')} missing`}
        >
          Intact photographs can be imported. Make the copy again for the rest, and keep the tablet it came from.
        </Note>
      )}
      {all && (
        <Note icon="info" title="Everything in it is already here">
          Importing it changes nothing.
        </Note>
      )}
      <div className={styles.actions}>
        <Button onPress={onCancel}>Cancel</Button>
        <Button variant="primary" onPress={onTake}>
          Import
        </Button>
      </div>
    </div>
  );
}

export function importedText({ photographs, records, known, damaged, clashing }: ImportedRescue): {
  readonly text: string;
  readonly detail: string;
} {
  const parts = [
    'This tablet sends it to the box automatically. The receipts are the same as those of the tablet that wrote it.',
  ];
  if (known > 0) parts.push(`${known.toLocaleString('en')} ${pluralize(known, 'was', 'were')} already here.`);
  if (damaged > 0)
    parts.push(
      `${formatCount(damaged, 'photograph')} in the file ${pluralize(damaged, 'is', 'are')} damaged and not imported: keep the tablet and the card they came from.`,
    );
  if (clashing > 0)
    parts.push(
      `${formatCount(clashing, 'record')} differ from the ones here and stay in the file: show it to the crew.`,
    );
  return {
    text: `${formatCount(photographs, 'photograph')} and ${formatCount(records, 'record')} imported`,
    detail: parts.join(' '),
  };
}
