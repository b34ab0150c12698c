import type { ReactNode } from 'react';
import { Button } from '../../../ui/controls/Button';
import { openSignIn } from '../../auth';
import type { ReportData } from '../data/use-report';
import list from './list.module.css';
import styles from './ReportDrawer.module.css';
import { ReefsTab } from './ReefsTab';
import { UnknownReef } from './UnknownReef';

interface Props {
  readonly data: ReportData;
  readonly selected: string | null;
  readonly isUnknownReef: boolean;
  /** Result of the reef where it has no card of its own, as on a phone. */
  readonly result: ReactNode;
  readonly onReef: (featureId: string | null) => void;
  readonly onHover: (row: number | null) => void;
}

/** Results for someone who is not signed in: reefs, covers and certainty alone. */
export default function PublicResults({ data, selected, isUnknownReef, result, onReef, onHover }: Props) {
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>Results {data.dataset?.censusYear ?? ''}</h1>
        <Button onPress={() => openSignIn()}>Sign in</Button>
      </div>
      <div className={styles.content}>
        {isUnknownReef && <UnknownReef onAll={() => onReef(null)} />}
        {result !== null ? (
          <div className={list.pane}>{result}</div>
        ) : (
          <ReefsTab data={data} selected={selected} onReef={onReef} onHover={onHover} />
        )}
      </div>
    </>
  );
}
