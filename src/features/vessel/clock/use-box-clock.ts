import { useEffect, useState } from 'react';
import type { EdgeClock, Repositories } from '../../../data/repositories';
import { useObservable } from '../../shell';

/** `tablet`: no box replied, so it is this tablet's own. */
export type ShownClock =
  | { readonly source: 'measuring' }
  | {
      readonly source: 'box';
      readonly clock: EdgeClock;
      readonly name: string;
      /** By this tablet's clock, ms. */ readonly measuredAt: number;
    }
  | { readonly source: 'tablet' };

const MEASURE_EVERY_MS = 20_000;
/** Larger jumps against the monotonic clock mean it was set. */
const JUMP_MIN_MS = 500;

/** Measured repeatedly; the last result stays while the box is away. */
export function useBoxClock(edge: Repositories['edge']): ShownClock {
  const link = useObservable(edge.link.state);
  const connectivity = useObservable(edge.link.connectivity);
  const [shown, setShown] = useState<ShownClock>({ source: 'measuring' });
  const name = link.status === 'unpaired' ? '' : link.edge.name;
  const { answering } = connectivity;
  useEffect(() => {
    let disposed = false;
    let wallClockLead = Date.now() - performance.now();
    const measure = (): void => {
      void edge.answers.measureClock().then((clock) => {
        if (disposed) return;
        if (clock !== null) setShown({ source: 'box', clock, name, measuredAt: Date.now() });
        else if (answering !== 'unknown')
          setShown((before) => (before.source === 'box' ? before : { source: 'tablet' }));
      });
    };
    const checkForJump = (): void => {
      const now = Date.now() - performance.now();
      if (Math.abs(now - wallClockLead) <= JUMP_MIN_MS) return;
      wallClockLead = now;
      setShown({ source: 'measuring' });
      measure();
    };
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') measure();
    };
    measure();
    const timers = [setInterval(measure, MEASURE_EVERY_MS), setInterval(checkForJump, 1000)];
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      disposed = true;
      timers.forEach(clearInterval);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [edge, name, answering]);
  return shown;
}

/** Whole seconds at `offsetMs` from this tablet's clock. Ms since the epoch. */
export function useSeconds(offsetMs: number): number {
  const [second, setSecond] = useState(() => Math.floor((Date.now() + offsetMs) / 1000) * 1000);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = (): void => {
      const now = Date.now() + offsetMs;
      setSecond(Math.floor(now / 1000) * 1000);
      timer = setTimeout(tick, 1000 - (now % 1000) + 1);
    };
    tick();
    return () => clearTimeout(timer);
  }, [offsetMs]);
  return second;
}
