import { askedQuestions, DONT_KNOW, type ExperienceQuestion } from '../../../domain/survey/experience';
import { SURVEY_LIMITS } from '../../../domain/limits/survey';
import type { LogEdits } from '../../../domain/survey/log';
import type { ExperienceKey } from '../../../domain/survey/survey';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Segmented } from '../../../ui/controls/Segmented';
import styles from './ExperienceDialog.module.css';
import { TextEntry } from './TextEntry';

type Answers = NonNullable<LogEdits['answers']>;

interface Props {
  readonly isOpen: boolean;
  readonly answers: Answers;
  readonly onAnswer: (key: ExperienceKey, answer: string) => void;
  readonly onLeave: () => void;
  readonly onClose: () => void;
}

/** Survey experience questions. Each answer is saved at once. */
export function ExperienceDialog({ isOpen, answers, onAnswer, onLeave, onClose }: Props) {
  return (
    <Dialog
      title="Survey experience"
      isOpen={isOpen}
      onClose={onClose}
      wide
      actions={
        <Button variant="primary" onPress={onClose}>
          Done
        </Button>
      }
    >
      <div className={styles.questions}>
        <p className={styles.lead}>
          What you saw, in your own judgement. “{DONT_KNOW}” is a good answer: it is worth more than a guess.{' '}
          {answeredText(answers)}.
        </p>
        {askedQuestions(answers).map((question) =>
          question.answers === undefined ? (
            <TextEntry
              key={question.key}
              label={question.question}
              value={answers[question.key] ?? ''}
              onEnter={(text) => onAnswer(question.key, text)}
              onLeave={onLeave}
              maxLength={SURVEY_LIMITS.notesMax}
              lines={3}
              {...(question.help === undefined ? {} : { help: question.help })}
            />
          ) : (
            <Segmented
              key={question.key}
              label={question.question}
              options={optionsOf(question, answers[question.key])}
              value={answers[question.key] ?? null}
              onChange={(answer) => onAnswer(question.key, answer)}
              help={question.help}
            />
          ),
        )}
      </div>
    </Dialog>
  );
}

/** `4 of 8 answered` */
export function answeredText(answers: Answers): string {
  const asked = askedQuestions(answers);
  return `${asked.filter(({ key }) => answers[key] !== undefined).length} of ${asked.length} answered`;
}

/** Adds another app's answer to ours. */
function optionsOf(
  { answers = [] }: ExperienceQuestion,
  given: string | undefined,
): readonly { value: string; label: string }[] {
  const words = given === undefined || answers.includes(given) || given === DONT_KNOW ? answers : [...answers, given];
  return [...words, DONT_KNOW].map((word) => ({ value: word, label: word }));
}
