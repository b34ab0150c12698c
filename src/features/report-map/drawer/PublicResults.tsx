import { useRef, type ReactNode } from 'react';
import { Button } from '../../../ui/controls/Button';
import { openSignIn } from '../../auth';
import { asOfText } from '../data/read-text';
import type { ReportData } from '../data/use-report';
import { DatasetCover } from '../reef/DatasetCover';
import { CopyLink } from './CopyLink';
import list from './list.module.css';
import styles from './ReportDrawer.module.css';
import { ReefsTab } from './ReefsTab';
import { UnknownReef } from './UnknownReef';
import { useFocusOnStep } from './use-focus-on-step';

interface Props {
  readonly data: ReportData;
  readonly selected: string | null;
  readonly listKey: string;
  /** Path of the view with region and dataset. */
  readonly path: string;
  readonly isUnknownReef: boolean;
  /** Result of the reef where it has no card of its own, as on a phone. */
  readonly result: ReactNode;
  readonly onReef: (featureId: string | null) => void;
  readonly onHover: (row: number | null) => void;
}

/** Results for someone who is not signed in: reefs, covers and certainty alone. */
export default function PublicResults(props: Props) {
  const { data, selected, listKey, path, isUnknownReef, result, onReef, onHover } = props;
  const content = useRef<HTMLDivElement>(null);
  useFocusOnStep(content, { reef: selected, survey: null });
  const asOf = asOfText(data.meta.asOf === null ? data.table : data.meta);
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>Results {data.dataset?.censusYear ?? ''}</h1>
        <Button onPress={() => openSignIn()}>Sign in</Button>
      </div>
      <DatasetCover meta={data.dataset?.meta ?? null} />
      <div className={styles.foot}>
        {asOf !== null && <p>{asOf}.</p>}
        <CopyLink path={path} />
      </div>
      <div className={styles.content} ref={content} tabIndex={-1} data-drawer-content>
        {isUnknownReef && <UnknownReef onAll={() => onReef(null)} />}
        {result !== null ? (
          <div className={list.pane}>{result}</div>
        ) : (
          <ReefsTab data={data} selected={selected} listKey={listKey} onReef={onReef} onHover={onHover} />
        )}
      </div>
    </>
  );
}
