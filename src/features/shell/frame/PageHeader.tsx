import type { ReactNode } from 'react';
import styles from './PageHeader.module.css';
import { useTitle } from './use-title';

interface Props {
  readonly title: string;
  readonly sub?: ReactNode;
  readonly back?: ReactNode;
  readonly facts?: ReactNode;
}

/** Header of a page; its title is the document's title too. */
export function PageHeader({ title, sub, back, facts }: Props) {
  useTitle(title);
  return (
    <header className={styles.head}>
      {back}
      <div className={styles.words}>
        <h1>{title}</h1>
        {sub !== undefined && <p>{sub}</p>}
      </div>
      {facts !== undefined && <div className={styles.facts}>{facts}</div>}
    </header>
  );
}
