import { Button } from '../../../ui/controls/Button';
import styles from './panels.module.css';

interface Props {
  readonly title: string;
  readonly children?: string;
  /** Way on. */
  readonly action: string;
  readonly onGo: () => void;
}

/** Address that leads nowhere, and a way on. */
export function UnknownNote({ title, children, action, onGo }: Props) {
  return (
    <section className={styles.signIn} role="status">
      <h1>{title}</h1>
      {children !== undefined && <p>{children}</p>}
      <div className={styles.actions}>
        <Button variant="primary" onPress={onGo}>
          {action}
        </Button>
      </div>
    </section>
  );
}
