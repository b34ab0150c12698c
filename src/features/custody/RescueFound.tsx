import type { RescueFound as Found, RescueTaken } from '../../data/repositories';
import { dayWords } from '../../domain/survey/day';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { bytesWords, count } from '../sync-status';
import styles from './RescueCard.module.css';
import { timeWords } from './words';

interface Props {
  readonly name: string;
  readonly found: Found;
  readonly onTake: () => void;
  readonly onCancel: () => void;
}

/** What is in a rescue copy, before anything of it is taken. */
export function RescueFound({ name, found, onTake, onCancel }: Props) {
  const { surveys, photographs, photographsKnown, records, recordsKnown, cut, bytes, deviceName, madeAt } = found;
  const all = recordsKnown === records && photographsKnown === photographs;
  return (
    <div className={styles.work} role="group" aria-label="What is in the rescue copy">
      <p>
        <b>{name}</b>, {bytesWords(bytes)}
      </p>
      <p className={styles.quiet}>
        Made on “{deviceName}”, {timeWords(madeAt, new Date())}: {count(photographs, 'photograph')},{' '}
        {count(records, 'record')}.
        {photographsKnown > 0 &&
          ` ${photographsKnown.toLocaleString('en')} of the photographs are on this tablet already.`}
      </p>
      <ul className={styles.list} aria-label="Surveys in it">
        {surveys.map((survey) => (
          <li key={`${survey.name} ${survey.date}`}>
            {survey.name}
            {survey.date !== '' && `, ${dayWords(survey.date)}`}: {count(survey.photographs, 'photograph')}
          </li>
        ))}
      </ul>
      {cut > 0 && (
        <Note tone="look" icon="alert" title={`The file ends early: ${count(cut, 'photograph')} missing`}>
          Those that are whole can be taken. Make the copy again for the rest, and keep the tablet it came from.
        </Note>
      )}
      {all && (
        <Note icon="info" title="All of it is here already">
          Taking it in changes nothing.
        </Note>
      )}
      <div className={styles.actions}>
        <Button onPress={onCancel}>Leave it</Button>
        <Button look="primary" onPress={onTake}>
          Take it in
        </Button>
      </div>
    </div>
  );
}

/** What became of a copy that was taken in. */
export function takenWords({ photographs, records, known, damaged, clashing }: RescueTaken): {
  readonly words: string;
  readonly detail: string;
} {
  const parts = [
    'This tablet sends it to the box by itself. The receipts are the same as those of the tablet that wrote it.',
  ];
  if (known > 0) parts.push(`${known.toLocaleString('en')} were here already.`);
  if (damaged > 0)
    parts.push(
      `${count(damaged, 'photograph')} in the file ${damaged === 1 ? 'is' : 'are'} damaged and not taken: keep the tablet and the card they came from.`,
    );
  if (clashing > 0)
    parts.push(
      `${count(clashing, 'record')} differ from what is known here and stay in the file: show it to the crew.`,
    );
  return {
    words: `${count(photographs, 'photograph')} and ${count(records, 'record')} taken in`,
    detail: parts.join(' '),
  };
}
