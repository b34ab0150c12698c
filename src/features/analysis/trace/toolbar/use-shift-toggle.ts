import { useEffect, useRef } from 'react';
import type { TraceAction } from '../trace-state';

/** 2§4: "shift toggles the tool temporarily": while it is held, and never during a stroke. */
export function useShiftToggle(dispatch: (action: TraceAction) => void, mayToggle: () => boolean): void {
  const may = useRef(mayToggle);
  useEffect(() => {
    may.current = mayToggle;
  });
  useEffect(() => {
    let pressed = 0;
    const down = (event: KeyboardEvent): void => {
      if (
        event.key !== 'Shift' ||
        event.repeat ||
        pressed > 0 ||
        !may.current() ||
        document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
      )
        return;
      dispatch({ type: 'shift', held: true });
    };
    const up = (event: KeyboardEvent): void => {
      if (event.key === 'Shift') dispatch({ type: 'shift', held: false });
    };
    const away = (): void => dispatch({ type: 'shift', held: false });
    const count = (by: 1 | -1) => (event: PointerEvent) => {
      if (event.pointerType !== 'touch') pressed = Math.max(0, pressed + by);
    };
    const [begin, end] = [count(1), count(-1)];
    window.addEventListener('keydown', down);
    window.addEventListener('keyup', up);
    window.addEventListener('blur', away);
    window.addEventListener('pointerdown', begin, true);
    window.addEventListener('pointerup', end, true);
    window.addEventListener('pointercancel', end, true);
    return () => {
      window.removeEventListener('keydown', down);
      window.removeEventListener('keyup', up);
      window.removeEventListener('blur', away);
      window.removeEventListener('pointerdown', begin, true);
      window.removeEventListener('pointerup', end, true);
      window.removeEventListener('pointercancel', end, true);
    };
  }, [dispatch]);
}
