import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { demosOf, fullDemoOf, type Demo, type DemoMatch } from '../../../domain/analysis/free-draw/demos';
import { typesForMode } from '../../../domain/analysis/free-draw/modes';
import {
  startTraining,
  stageOf,
  trainingReducer,
  trainingDemo,
  type Training,
  type TrainingEvent,
  type TrainingStage,
} from '../../../domain/analysis/free-draw/training';
import { learnableTypes } from '../../../domain/analysis/free-draw/walkthrough';
import type { DemoPicture, DemoPictures } from '../../../workers/demo/demo-picture.api';
import type { LearningHost } from './learning-host';
import { useMatch } from './use-match';
import { saveCourse, readCourse, type CourseName, type CourseOwner } from './course-storage';

type PictureState = 'making' | 'ready' | 'failed';

export interface Course {
  readonly training: Training;
  readonly stage: TrainingStage;
  readonly demo: Demo | null;
  readonly picture: PictureState;
  readonly isOpen: boolean;
  /** Painted against true areas, from the first check of a picture; null before. */
  readonly match: DemoMatch | null;
  /** Number of checks that are answered. */
  readonly answered: number;
  readonly hasCheckFailed: boolean;
  readonly checks: number;
  /** True while the true outline is on the picture, which a check puts there. */
  readonly isRevealed: boolean;
  /** Picture and truth to show beside each other; null before there is a picture. */
  readonly comparison: Comparison | null;
  readonly send: (event: TrainingEvent) => void;
  readonly pick: (type: string) => void;
  readonly check: () => void;
  readonly setRevealed: (on: boolean) => void;
  readonly retry: () => void;
}

export interface Comparison {
  readonly blob: Blob;
  readonly outlines: DemoPicture['outlines'];
  readonly marks: () => HTMLCanvasElement | null;
}

interface CourseOptions {
  readonly host: LearningHost;
  readonly name: CourseName;
  readonly owner: CourseOwner;
  readonly mode: number;
  readonly pictures: DemoPictures;
}

/** Runs a course: loads its pictures, restricts the types and compares the painting with the truth. */
export function useCourse({ host, name, owner, mode, pictures }: CourseOptions): Course {
  const [training, setTraining] = useState<Training>(() => {
    const kept = readCourse(name, owner);
    return kept !== null && kept.walkthrough.mode === mode ? kept : startTraining(mode);
  });
  // Checks belong to one turn of one picture and are discarded with it.
  const [checkState, setCheckState] = useState({ turn: -1, checks: 0, isShown: true });
  const stage = stageOf(training);
  const demo = trainingDemo(training);
  const { revision, type } = training.walkthrough;
  const current = checkState.turn === revision ? checkState : { turn: revision, checks: 0, isShown: true };
  // Stages without a demo show a generated reef too: no one paints on a photograph by accident.
  const backdrop = demo ?? fullDemoOf(training.walkthrough.mode);
  const { picture, failed, retry } = useDemoPicture(pictures, backdrop);
  const latest = useRef(host);
  useEffect(() => {
    latest.current = host;
  });

  useEffect(() => saveCourse(name, owner, training), [name, owner, training]);

  // Another picture, or the same one again, cleared.
  const shown = useRef({ demo: '', turn: -1 });
  useEffect(() => {
    if (picture === null) return;
    const { blob, width, height } = picture;
    const before = shown.current;
    shown.current = { demo: backdrop.id, turn: revision };
    if (before.demo !== backdrop.id) {
      latest.current.showPractice({
        picture: {
          key: `demo ${backdrop.id}`,
          open: async () => ({ blob, size: 'original' }),
          openCorrected: null,
          name: 'A practice picture of a reef',
        },
        width,
        height,
      });
      const next =
        demo === null || type === null
          ? undefined
          : demosOf(type)[(demosOf(type).indexOf(demo) + 1) % demosOf(type).length];
      if (next !== undefined) pictures.picture(next).catch(() => undefined);
    } else if (before.turn !== revision && demo !== null) latest.current.clear();
  }, [picture, backdrop, revision, demo, type, pictures]);

  const learned = training.walkthrough.mode;
  const isWhole = stage === 4;
  useEffect(() => {
    latest.current.restrict(
      isWhole
        ? typesForMode(learned)
            .filter(({ flag }) => !flag)
            .map(({ id }) => id)
        : learnableTypes(learned),
    );
    if (type !== null && !isWhole) latest.current.selectType(type);
  }, [isWhole, learned, type]);

  const send = useCallback((event: TrainingEvent) => setTraining((now) => trainingReducer(now, event)), []);
  const pick = useCallback(
    (id: string) => {
      send({ kind: 'pick', type: id });
      latest.current.selectType(id);
    },
    [send],
  );

  // A pick in the class list counts as a pick in the card, unless the course itself selected the type.
  const chosen = host.selectedType.id;
  const lastChosen = useRef(chosen);
  useEffect(() => {
    if (lastChosen.current === chosen) return;
    lastChosen.current = chosen;
    if (chosen !== type) send({ kind: 'pick', type: chosen });
  }, [chosen, type, send]);

  // On a picture of one type, total progress is not the task.
  const isOfOne = demo !== null && !isWhole;
  useEffect(() => latest.current.showProgress(!isOfOne), [isOfOne]);

  const { match, answered, hasFailed } = useMatch({ host, pictures, demo, turn: revision, checks: current.checks });
  const outlines = picture?.outlines;
  const outline =
    demo !== null && current.checks > 0 && current.isShown && outlines !== undefined
      ? (outlines[chosen] ?? Object.values(outlines).join(''))
      : null;
  useEffect(() => latest.current.showOutline(outline), [outline]);
  const comparison = useMemo(
    (): Comparison | null =>
      picture === null
        ? null
        : { blob: picture.blob, outlines: picture.outlines, marks: () => latest.current.canvas() },
    [picture],
  );

  return {
    training,
    stage,
    demo,
    picture: picture !== null ? 'ready' : failed ? 'failed' : 'making',
    isOpen: picture !== null && host.counts !== null,
    match,
    checks: current.checks,
    answered,
    hasCheckFailed: hasFailed,
    isRevealed: current.isShown,
    comparison,
    send,
    pick,
    check: () => setCheckState({ ...current, checks: current.checks + 1 }),
    setRevealed: (isShown) => setCheckState({ ...current, isShown }),
    retry,
  };
}

/** Generated picture of a demo; null until it is made, or if that failed. */
function useDemoPicture(
  pictures: DemoPictures,
  demo: Demo,
): { readonly picture: DemoPicture | null; readonly failed: boolean; readonly retry: () => void } {
  const [made, setMade] = useState<{ readonly demo: string; readonly picture: DemoPicture | null } | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isGone = false;
    pictures.picture(demo).then(
      (picture) => !isGone && setMade({ demo: demo.id, picture }),
      () => !isGone && setMade({ demo: demo.id, picture: null }),
    );
    return () => {
      isGone = true;
    };
  }, [pictures, demo, attempt]);
  const current = made?.demo === demo.id ? made : null;
  return {
    picture: current?.picture ?? null,
    failed: current !== null && current.picture === null,
    retry: () => {
      setMade(null);
      setAttempt((before) => before + 1);
    },
  };
}
