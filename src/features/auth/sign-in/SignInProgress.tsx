import { Button } from '../../../ui/controls/Button';
import { LoadingText } from '../LoadingText';
import styles from '../auth.module.css';
import { closePopup } from './popup';

/** Progress of a sign-in; while a window of it is open, with a way to close that. */
export function SignInProgress({ inWindow }: { readonly inWindow: boolean }) {
  return (
    <>
      <LoadingText text={inWindow ? 'Continue in the window that opened' : undefined} />
      {inWindow && (
        <div className={styles.main}>
          <Button onPress={closePopup}>Cancel</Button>
        </div>
      )}
    </>
  );
}
