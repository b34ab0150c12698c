import type { ReactNode } from 'react';
import styles from './NeatLine.module.css';

/** For charts only. Fills its container. */
export function NeatLine({ children, label }: { readonly children: ReactNode; readonly label?: string }) {
  return (
    <section className={styles.frame} aria-label={label}>
      <div className={styles.chart}>{children}</div>
    </section>
  );
}
