import { holdBusy } from '../../../platform/busy';

/**
 * Says that photographs are being added: a new version of the app waits, and closing the page asks first, since a browser
 * lets go of files that were picked.
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
