import { lazy, Suspense, useState } from 'react';
import { useKeys } from './use-keys';

const KeySheet = lazy(() => import('./KeySheet').then(({ KeySheet: component }) => ({ default: component })));

/** Once in the page: `?` opens the sheet of all keys that do something here. */
export function KeyHelp() {
  const [open, setOpen] = useState(false);
  useKeys({ '?': { words: 'These keys', run: () => setOpen(true) } });
  return open ? (
    <Suspense fallback={null}>
      <KeySheet onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}
