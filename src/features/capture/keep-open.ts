import { holdBusy } from '../../platform/busy';

/**
 * Says that photographs are being added: a new version of the app waits, and closing the page asks first, since a browser
 * lets go of files that were picked.
 *
 * @returns call it when all are done
 */
export function keepPageOpen(): () => void {
  const release = holdBusy('photographs are being added');
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => {
    removeEventListener('beforeunload', ask);
    release();
  };
}
