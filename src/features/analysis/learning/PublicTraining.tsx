import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import {
  finishTraining,
  unlockedTypes,
  MODE_AFTER_TRAINING,
  startMode,
  TRAINING_MODE,
} from '../../../domain/analysis/free-draw/modes';
import { demoPictures } from '../../../workers/demo/demo-pictures';
import type { LearningProps } from './learning-host';
import { CourseCard } from './CourseCard';
import { saveMode, readMode } from './course-storage';
import { highlightTargetFor } from './highlight-target';
import { useCourse } from './use-course';
import { useHighlight } from './use-highlight';

/**
 * Public training over the tracing screen (2§4 "Public training walkthrough"), with or without a name; writes no
 * record.
 */
export function PublicTraining({ host, uid, panelSlot }: LearningProps) {
  const pictures = useMemo(() => demoPictures(), []);
  useEffect(() => () => pictures.stop(), [pictures]);
  const course = useCourse({ host, name: 'training', owner: uid, mode: TRAINING_MODE, pictures });
  useHighlight(highlightTargetFor(course));
  const latest = useRef(host);
  useEffect(() => {
    latest.current = host;
  });
  useEffect(() => latest.current.offerStates(false), []);
  const isOver = course.stage === 6;
  useEffect(() => {
    // "Finishing training sets mode 2 if none is stored"
    const { stored } = finishTraining(startMode({ stored: readMode(uid), isExpert: false, isAdvanced: false }));
    if (isOver && stored !== null) saveMode(uid, stored);
  }, [isOver, uid]);
  const gained = unlockedTypes(TRAINING_MODE, Math.max(MODE_AFTER_TRAINING, readMode(uid) ?? 0));
  return (
    <CourseCard
      course={course}
      kind="training"
      unlockedTypes={gained.map(({ id }) => id)}
      panel={panelSlot}
      atEnd={<Link to="/analysis">Go to the photographs</Link>}
    />
  );
}
