import { useEffect } from 'react';
import { installWetTouchGuard } from '../../platform/wet-touch-guard';
import { isDeck } from '../../ui/deck';
import { KeyHelp } from '../../ui/KeyHelp';
import { notify } from '../../ui/notices';
import { Snackbars } from '../../ui/Snackbars';

/** How long the word about water rests after it was said, ms: rain goes on for hours. */
const SAY_AGAIN_MS = 60_000;

/** What stands over every screen: notices, the sheet of keys, and in the deck theme the guard against water. */
export default function OverEveryScreen() {
  useEffect(() => {
    let saidAt = Number.NEGATIVE_INFINITY;
    return installWetTouchGuard(isDeck, () => {
      const now = performance.now();
      if (now - saidAt < SAY_AGAIN_MS) return;
      saidAt = now;
      notify({ icon: 'info', title: 'Water on the screen', words: 'Those touches pressed nothing. Wipe it, then press one place at a time.' });
    });
  }, []);
  return (
    <>
      <Snackbars />
      <KeyHelp />
    </>
  );
}
