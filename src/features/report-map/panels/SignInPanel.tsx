import { Button } from '../../../ui/controls/Button';
import { openSignIn } from '../../auth';
import styles from './panels.module.css';

interface Props {
  readonly regionName: string;
  readonly onLook: () => void;
}

/** 3§6: "anonymous users see a sign-in box"; results are public, and one press away. */
export function SignInPanel({ regionName, onLook }: Props) {
  return (
    <section className={styles.signIn} aria-label="Sign in">
      <h2>The {regionName}, reef by reef</h2>
      <p>
        Sign in to open surveys and photographs, and to choose layers. How much coral grows on each reef, and how sure
        we are, is open to everyone.
      </p>
      <div className={styles.actions}>
        <Button variant="primary" onPress={() => openSignIn()}>
          Sign in to get started
        </Button>
        <Button onPress={onLook}>See the results</Button>
      </div>
    </section>
  );
}
