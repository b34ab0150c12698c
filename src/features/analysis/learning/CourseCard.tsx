import { useEffect, useId, useRef, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { demosOf } from '../../../domain/analysis/free-draw/demos';
import { canGoForward, TRAINING_STAGES } from '../../../domain/analysis/free-draw/training';
import { isTypeComplete, learnableTypes } from '../../../domain/analysis/free-draw/walkthrough';
import { Button } from '../../../ui/controls/Button';
import styles from './learning.module.css';
import { formatNames, typeName } from './learning-text';
import { Celebration, MatchFeedback } from './MatchFeedback';
import type { Course } from './use-course';

interface Props {
  readonly course: Course;
  readonly kind: 'walkthrough' | 'training';
  readonly unlockedTypes: readonly string[];
  readonly panel: HTMLElement | null;
  readonly atEnd: ReactNode;
}

/**
 * Card with the current instruction: over the picture while there is text to read, in the panel while there is
 * something to paint.
 */
export function CourseCard({ course, kind, unlockedTypes, panel, atEnd }: Props) {
  const { stage, training, send, match } = course;
  const head = useRef<HTMLHeadingElement>(null);
  const name = useId();
  // Focus stays where the user acts: in the card, or in the class list.
  const isFromCard = useRef(true);
  useEffect(() => {
    if (isFromCard.current) head.current?.focus({ preventScroll: true });
    isFromCard.current = false;
  }, [stage, course.demo?.id]);
  const go = (does: 'next' | 'back' | 'skip' | 'again' | 'completed'): void => {
    isFromCard.current = true;
    send({ kind: does });
  };
  const pick = (type: string): void => {
    isFromCard.current = true;
    course.pick(type);
  };
  const progressText =
    kind === 'training'
      ? `Stage ${stage} of ${ANALYSIS_LIMITS.trainingStages}`
      : `Step ${Math.min(stage, ANALYSIS_LIMITS.walkthroughSteps)} of ${ANALYSIS_LIMITS.walkthroughSteps}`;
  const isPainting = course.demo !== null && stage !== 3;
  const isDocked = isPainting && panel !== null;
  const forward = FORWARD[stage];
  // In the last stages what is learned already leads on; a further picture is an extra.
  const isWayOnLouder = forward !== null && stage >= 3 && canGoForward(training);
  // When progress is shown, the panel already has the page's h1.
  const Heading = course.demo !== null && stage !== 4 ? 'h1' : 'h2';
  const card = (
    <section
      className={isDocked ? styles.docked : styles.card}
      data-whole={(isDocked && stage === 4) || undefined}
      data-checked={course.checks > 0 || undefined}
      data-met={match?.isMet === true || undefined}
      data-demo={course.isOpen ? course.demo?.id : undefined}
      aria-labelledby={name}
    >
      <header>
        <p className={styles.stage}>{progressText}</p>
        {(stage === 3 || stage === 5) && <Celebration />}
        <Heading id={name} ref={head} tabIndex={-1} className={styles.title}>
          {titleOf(course)}
        </Heading>
      </header>
      <div className={styles.body}>
        {!(isPainting && match?.isMet === true) && (
          <CourseBody course={course} kind={kind} unlockedTypes={unlockedTypes} />
        )}
        {!isPainting && (stage === 2 || stage === 3) && <CategoryPicker training={training} onPick={pick} />}
      </div>
      {isPainting && <MatchFeedback course={course} />}
      <footer className={styles.foot} data-foot>
        {isPainting && course.picture === 'ready' && (
          <CheckActions course={course} isOptional={isWayOnLouder} onDone={() => go('completed')} />
        )}
        {stage > 1 && (
          <Button variant="line" icon="back" onPress={() => go('back')}>
            Back
          </Button>
        )}
        {stage < 6 && (
          <span className={styles.skip}>
            <Button variant="quiet" onPress={() => go('skip')}>
              Skip training
            </Button>
          </span>
        )}
        {forward !== null && canGoForward(training) && match?.isMet !== true && (
          <Button variant={isPainting && !isWayOnLouder ? 'line' : 'primary'} onPress={() => go('next')}>
            {forward}
          </Button>
        )}
        {stage === 6 && (
          <>
            <Button variant="line" onPress={() => go('again')}>
              Start again
            </Button>
            {atEnd}
          </>
        )}
      </footer>
    </section>
  );
  return isDocked ? createPortal(card, panel) : card;
}

const FORWARD = { 1: 'Begin', 2: 'Next step', 3: 'Next step', 4: 'Next step', 5: 'Finish', 6: null } as const;

function titleOf({ stage, training, demo }: Course): string {
  const { type } = training.walkthrough;
  if (stage === 2 && type !== null && demo !== null) return `Colour in: ${typeName(type)}`;
  if (stage === 3 && type !== null) return `${typeName(type)}: category complete`;
  return TRAINING_STAGES[stage - 1] ?? '';
}

function CourseBody({ course, kind, unlockedTypes }: Pick<Props, 'course' | 'kind' | 'unlockedTypes'>) {
  const { stage, training, demo } = course;
  const { type } = training.walkthrough;
  switch (stage) {
    case 1:
      return (
        <>
          <p>
            Scientists need to know how much of a reef is coral, sand or water. You show them by painting what you see.
          </p>
          <p>
            You learn it here on practice pictures whose true cover is known. Nothing you paint here is saved or sent.
          </p>
        </>
      );
    case 2:
      if (demo === null || type === null) return <p>Choose what to colour in, here or in the list of categories.</p>;
      return (
        <>
          <p className={styles.count}>
            Picture {training.walkthrough.demo + 1} of {demosOf(type).length}
          </p>
          <p>{demo.hint}</p>
          {course.checks === 0 && (
            <p className={styles.how}>
              Draw back and forth over it with the pen. Erase removes what went too far. Then check.
            </p>
          )}
        </>
      );
    case 3:
      return <p>You found it in every picture. Colour in another category, or continue to a whole picture.</p>;
    case 4:
      return (
        <>
          <p>{demo?.hint}</p>
          {course.checks === 0 && (
            <p className={styles.how}>
              Fill rest fills everything still unpainted with the chosen category. The ring shows how much is painted. A
              picture counts as complete from 95%.
            </p>
          )}
        </>
      );
    case 5:
      return (
        <>
          <p>
            {unlockedTypes.length === 0
              ? 'You painted a whole picture. Every level is open to you.'
              : 'You painted a whole picture. You unlocked:'}
          </p>
          {unlockedTypes.length > 0 && <p className={styles.gained}>{formatNames(unlockedTypes)}</p>}
        </>
      );
    case 6:
      return (
        <>
          <p>
            {training.end === 'skipped'
              ? 'You skipped the rest. You can come back to it at any time.'
              : 'You know the pen, the categories and Fill rest: that is all it takes.'}
          </p>
          {unlockedTypes.length > 0 && <p>Now open to you: {formatNames(unlockedTypes)}.</p>}
          {kind === 'training' && <p>“Mystery coral” is always there when you are not sure. It is a good answer.</p>}
        </>
      );
  }
}

function CategoryPicker({
  training,
  onPick,
}: {
  readonly training: Course['training'];
  readonly onPick: (type: string) => void;
}) {
  return (
    <div role="group" aria-label="Categories to colour in" className={styles.types}>
      {learnableTypes(training.walkthrough.mode).map((id) => {
        const isDone = isTypeComplete(training.walkthrough, id);
        return (
          <Button
            key={id}
            variant="line"
            {...(isDone ? { icon: 'check' as const } : {})}
            aria-label={isDone ? `${typeName(id)}, complete` : typeName(id)}
            onPress={() => onPick(id)}
          >
            {typeName(id)}
          </Button>
        );
      })}
    </div>
  );
}

function CheckActions({
  course,
  isOptional,
  onDone,
}: {
  readonly course: Course;
  /** True if the course may go on without it. */
  readonly isOptional: boolean;
  readonly onDone: () => void;
}) {
  const { match, checks, stage, training } = course;
  const { type, demo } = training.walkthrough;
  if (match?.isMet === true) {
    return (
      <Button variant="primary" onPress={onDone}>
        {stage === 4 || (type !== null && demo + 1 === demosOf(type).length) ? 'Continue' : 'Next picture'}
      </Button>
    );
  }
  return (
    <>
      <Button variant={isOptional ? 'line' : 'primary'} icon="check" onPress={course.check}>
        {checks === 0 ? 'Check' : 'Check again'}
      </Button>
      {checks > 0 && (
        <Button variant="line" onPress={() => course.setRevealed(!course.isRevealed)} aria-pressed={course.isRevealed}>
          {course.isRevealed ? 'Hide outline' : 'Show outline'}
        </Button>
      )}
    </>
  );
}
