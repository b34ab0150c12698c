import { lazy, Suspense, useState } from 'react';
import { useShortcuts } from './use-shortcuts';

const ShortcutSheet = lazy(() =>
  import('./ShortcutSheet').then(({ ShortcutSheet: component }) => ({ default: component })),
);

/** `?` opens the list of shortcuts. */
export function ShortcutHelp() {
  const [open, setOpen] = useState(false);
  useShortcuts({ '?': { label: 'Show keyboard shortcuts', run: () => setOpen(true) } });
  return open ? (
    <Suspense fallback={null}>
      <ShortcutSheet onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
