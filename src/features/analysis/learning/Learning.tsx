import { useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { CATEGORY_TYPES } from '../../../domain/analysis/free-draw/categories';
import {
  firstGroup,
  unlockedTypes,
  hasModifiers,
  canToggleAdvanced,
  MODE_AFTER_TRAINING,
  startMode,
  toggleAdvanced,
  toggleTraining,
  typesForMode,
  unlockMode,
  type ModeState,
} from '../../../domain/analysis/free-draw/modes';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { Switch } from '../../../ui/controls/Switch';
import { notify } from '../../../ui/feedback/notices';
import { demoPictures } from '../../../workers/demo/demo-pictures';
import type { LearningHost, LearningProps } from './learning-host';
import { CourseCard } from './CourseCard';
import { isAdvanced, saveCourse, saveMode, readMode, setAdvanced, useAdvanced } from './course-storage';
import styles from './learning.module.css';
import { highlightTargetFor } from './highlight-target';
import { useCourse } from './use-course';
import { useHighlight } from './use-highlight';
import { modeName, formatNames } from './learning-text';

/** Learning layer of the tracing screen: mode, offered types, walkthrough (2§4 "Free-draw modes"). */
export default function Learning({ host, uid, isExpert, panelSlot }: LearningProps) {
  const advanced = useAdvanced();
  const [state, setState] = useState<ModeState>(() =>
    startMode({ stored: readMode(uid), isExpert, isAdvanced: isAdvanced() }),
  );
  const latest = useRef(host);
  useEffect(() => {
    latest.current = host;
  });

  // New users start with the walkthrough; afterwards the training button decides.
  const isNew = useRef(state.isWalkthroughShown);
  const learned = useRef(Math.min(state.mode, ANALYSIS_LIMITS.simpleModeMax));
  const { mode, stored, isWalkthroughShown } = state;
  const { isTraining } = host;
  useEffect(() => {
    if (isNew.current) {
      isNew.current = false;
      latest.current.setTraining(true);
    } else if (isTraining !== isWalkthroughShown) {
      if (isTraining) learned.current = Math.min(mode, ANALYSIS_LIMITS.simpleModeMax);
      const after = toggleTraining(state);
      setState(after);
      if (!isTraining) notifyUnlocked(learned.current, after.mode);
    }
  }, [isTraining, isWalkthroughShown, mode, state]);

  useEffect(() => {
    if (stored !== null) saveMode(uid, stored);
  }, [uid, stored]);

  // Advanced toggle changed, here or in another tab.
  const turned = useRef(advanced);
  useEffect(() => {
    if (turned.current === advanced) return;
    turned.current = advanced;
    setState((before) => (canToggleAdvanced(before, isExpert) ? toggleAdvanced(before, advanced) : before));
  }, [advanced, isExpert]);

  useEffect(() => {
    if (isTraining) return;
    latest.current.showPractice(null);
    latest.current.showOutline(null);
    latest.current.showProgress(true);
    latest.current.restrict(mode >= ANALYSIS_LIMITS.simpleModeMax ? null : typesForMode(mode).map(({ id }) => id));
    latest.current.offerStates(hasModifiers(mode));
  }, [isTraining, mode]);

  // Users with a stored mode below 3 start on the reef type.
  const begins = useRef(firstGroup(state));
  useEffect(() => {
    const first = CATEGORY_TYPES.find(({ group }) => group === begins.current);
    if (first !== undefined) latest.current.selectType(first.id);
    begins.current = null;
  }, []);

  return (
    <>
      {panelSlot !== null &&
        !isTraining &&
        createPortal(
          <div className={styles.mode}>
            {(mode <= ANALYSIS_LIMITS.simpleModeMax || !canToggleAdvanced(state, isExpert)) && (
              <span>
                <b>{modeName(mode)}</b>
                {state.isUnlocked ? ' · just unlocked' : ''}
              </span>
            )}
            {canToggleAdvanced(state, isExpert) && (
              <Switch
                label="Advanced"
                isOn={mode > ANALYSIS_LIMITS.simpleModeMax}
                onChange={(on) =>
                  on === advanced ? setState((before) => toggleAdvanced(before, on)) : setAdvanced(on)
                }
              />
            )}
          </div>,
          panelSlot,
        )}
      {isTraining && (
        <Walkthrough host={host} uid={uid} state={state} panelSlot={panelSlot} onUnlock={() => setState(unlockMode)} />
      )}
    </>
  );
}

/** @param before the mode that was learned */
function notifyUnlocked(before: number, after: number): void {
  const gained = unlockedTypes(before, after);
  if (gained.length > 0)
    notify({
      title: `Unlocked: ${modeName(after)}`,
      text: `You can now paint ${formatNames(gained.map(({ id }) => id))}.`,
      icon: 'check',
    });
}

interface WalkthroughProps {
  readonly host: LearningHost;
  readonly uid: string | null;
  readonly state: ModeState;
  readonly panelSlot: HTMLElement | null;
  readonly onUnlock: () => void;
}

function Walkthrough({ host, uid, state, panelSlot, onUnlock }: WalkthroughProps) {
  const pictures = useMemo(() => demoPictures(), []);
  useEffect(() => () => pictures.stop(), [pictures]);
  // The learned mode stays fixed when the last step unlocks the next one.
  const [learned] = useState(() => Math.min(state.mode, ANALYSIS_LIMITS.simpleModeMax));
  const course = useCourse({ host, name: 'walkthrough', owner: uid, mode: learned, pictures });
  useHighlight(highlightTargetFor(course));
  const { stage } = course;
  const end = useRef({ host, onUnlock, isUnlocked: false });
  useEffect(() => {
    end.current = { ...end.current, host, onUnlock };
  });
  useEffect(() => {
    // "step 5 unlocks the next mode", once.
    if (stage === 5 && !end.current.isUnlocked) {
      end.current.isUnlocked = true;
      end.current.onUnlock();
    }
    if (stage !== 6) return;
    saveCourse('walkthrough', uid, null);
    end.current.host.setTraining(false);
  }, [stage, uid]);
  const gained = unlockedTypes(
    learned,
    state.stored === null ? MODE_AFTER_TRAINING : Math.min(learned + 1, ANALYSIS_LIMITS.simpleModeMax),
  );
  if (stage === 6) return null;
  return (
    <CourseCard
      course={course}
      kind="walkthrough"
      unlockedTypes={gained.map(({ id }) => id)}
      panel={panelSlot}
      atEnd={null}
    />
  );
}
