import { Button } from '../../../ui/controls/Button';
import styles from './panels.module.css';

interface Way {
  readonly label: string;
  readonly onGo: () => void;
}

interface Props {
  readonly title: string;
  readonly children?: string;
  /** Ways on, best first. */
  readonly ways: readonly Way[];
}

/** Note for an unknown address, with links that work. */
export function UnknownNote({ title, children, ways }: Props) {
  return (
    <section className={styles.signIn} role="status">
      <h1>{title}</h1>
      {children !== undefined && <p>{children}</p>}
      <div className={styles.actions}>
        {ways.map(({ label, onGo }, n) => (
          <Button key={label} variant={n === 0 ? 'primary' : 'line'} onPress={onGo}>
            {label}
          </Button>
        ))}
      </div>
    </section>
  );
}
