import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { installWetTouchGuard } from '../../../platform/wet-touch-guard';
import { isDeck } from '../../../ui/tokens/deck';
import { ShortcutHelp } from '../../../ui/keys/ShortcutHelp';
import { notify } from '../../../ui/feedback/notices';
import { Snackbars } from '../../../ui/feedback/Snackbars';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import { NAV_ITEMS } from './nav-items';
import { toggleDeckTheme } from '../theme';

/** Pause before the note about water repeats, ms: rain lasts for hours. */
const REPEAT_MS = 60_000;

/** Notices, shortcuts and their help, and in the deck theme the guard against water. */
export default function GlobalOverlays() {
  const navigate = useNavigate();
  useShortcuts({
    ...Object.fromEntries(
      NAV_ITEMS.map(({ to, word }, i) => [String(i + 1), { words: word, run: () => void navigate({ to }) }]),
    ),
    t: { label: 'Deck theme on or off', run: toggleDeckTheme },
  });
  useEffect(() => {
    let saidAt = Number.NEGATIVE_INFINITY;
    return installWetTouchGuard(isDeck, () => {
      const now = performance.now();
      if (now - saidAt < REPEAT_MS) return;
      saidAt = now;
      notify({
        icon: 'info',
        title: 'Water on the screen',
        text: 'Those touches did nothing. Wipe the screen, then touch one place at a time.',
      });
    });
  }, []);
  return (
    <>
      <Snackbars />
      <ShortcutHelp />
    </>
  );
}
