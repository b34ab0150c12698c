import { useEffect, useRef, useState } from 'react';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { matchDemo, type Demo, type DemoMatch } from '../../../domain/analysis/free-draw/demos';
import { statsOf } from '../../../domain/analysis/free-draw/stats';
import type { DemoPictures } from '../../../workers/demo/demo-picture.api';
import type { LearningHost } from './learning-host';

/** Pause in painting after which a checked picture is compared again, ms: longer than between two updates of a stroke. */
const PAUSE_MS = 250;

interface Options {
  readonly host: LearningHost;
  readonly pictures: DemoPictures;
  readonly demo: Demo | null;
  /** Turn of the picture: with another one everything is painted afresh. */
  readonly turn: number;
  readonly checks: number;
}

interface Measured {
  readonly turn: number;
  readonly checks: number;
  readonly match: DemoMatch | null;
}

/** Compares the painting with the truth: at a check, then after each pause in painting. */
export function useMatch({ host, pictures, demo, turn, checks }: Options): {
  readonly match: DemoMatch | null;
  /** Number of checks that are answered. */
  readonly answered: number;
  readonly hasFailed: boolean;
} {
  const [measured, setMeasured] = useState<Measured | null>(null);
  const { counts, labels } = host;
  const current = measured?.turn === turn ? measured : null;
  const answered = useRef('');
  useEffect(() => {
    if (demo === null || counts === null || checks === 0) return undefined;
    let isOver = false;
    const settle = (match: DemoMatch | null): void => {
      if (isOver) return;
      answered.current = `${turn} ${checks}`;
      setMeasured({ turn, checks, match });
    };
    const measure = async (): Promise<void> => {
      const painted = await labels();
      if (painted === null || isOver) return;
      settle(matchDemo(statsOf(counts, CATEGORY_CLASSES), demo, await pictures.overlaps(demo, painted)));
    };
    const timer = setTimeout(
      () =>
        void measure().catch((error: unknown) => {
          if (isOver) return;
          console.error('A practice picture could not be checked:', error);
          settle(null);
        }),
      answered.current === `${turn} ${checks}` ? PAUSE_MS : 0,
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [demo, counts, checks, turn, labels, pictures]);
  return {
    match: current?.match ?? null,
    answered: current?.checks ?? 0,
    hasFailed: current !== null && current.match === null,
  };
}
