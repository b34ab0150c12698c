import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/display/Icon';
import styles from './StepBar.module.css';

export interface ShownStep {
  readonly id: string;
  readonly title: string;
  /** Done part, 0 to 1. */
  readonly progress: number;
  /** "13 of 24"; empty for a question. */
  readonly count: string;
}

interface Props {
  readonly steps: readonly ShownStep[];
  readonly current: number;
  /** Facts at the right, such as the connection. */
  readonly children: ReactNode;
}

/** Step progress bar (2§2) with the way out. */
export function StepBar({ steps, current, children }: Props) {
  return (
    <header className={styles.bar}>
      <Link to="/analysis" className={styles.leave ?? ''} aria-label="Leave labelling">
        <Icon name="back" />
      </Link>
      <ol className={styles.steps} aria-label="Steps" data-count={steps.length}>
        {steps.map(({ id, title, progress, count }, index) => (
          <li key={id} aria-current={index === current ? 'step' : undefined} data-done={progress >= 1 || undefined}>
            <span>
              {index + 1} <b>{title}</b>
              {count !== '' && <em>{count}</em>}
              {progress >= 1 && <small>done</small>}
            </span>
            <i aria-hidden="true">
              <u style={{ inlineSize: `${Math.min(1, progress) * 100}%` }} />
            </i>
          </li>
        ))}
      </ol>
      <div className={styles.facts}>{children}</div>
    </header>
  );
}
