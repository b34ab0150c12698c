import { holdBusy } from '../../../platform/busy';

/**
 * Delays app updates and asks before closing the page, since a browser drops picked files.
 *
 * @returns call it when all are done
 */
export function holdPageOpen(): () => void {
  const release = holdBusy('photographs are being added');
  const confirmUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener('beforeunload', confirmUnload);
  return () => {
    removeEventListener('beforeunload', confirmUnload);
    release();
  };
}
