import type { ReactNode } from 'react';
import styles from './NeatLine.module.css';

/** The frame of a chart, and of a chart alone. It fills its place. */
export function NeatLine({ children, label }: { readonly children: ReactNode; readonly label?: string }) {
  return (
    <section className={styles.frame} aria-label={label}>
      <div className={styles.chart}>{children}</div>
    </section>
  );
}
