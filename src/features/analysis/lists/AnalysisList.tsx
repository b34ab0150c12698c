import { useEffect, useState, type ReactNode } from 'react';
import type { AnalysisView } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Icon } from '../../../ui/display/Icon';
import { CustodyLights, lightsOf } from '../../sync-status';
import { formatDateTime } from './format-date-time';
import styles from './lists.module.css';

interface Props<Item extends AnalysisView> {
  readonly items: readonly Item[];
  readonly name: string;
  readonly linkTo: (item: Item, content: ReactNode) => ReactNode;
  readonly by?: (item: Item) => string | null;
}

/** Page size; thousands of previews would take too much memory. */
const PAGE_SIZE = 60;

export function AnalysisList<Item extends AnalysisView>({ items, name, linkTo, by }: Props<Item>) {
  const [most, setMost] = useState(PAGE_SIZE);
  return (
    <>
      <ul className={styles.list} aria-label={name}>
        {items.slice(0, most).map((item) => {
          const content = <Row item={item} by={by?.(item) ?? null} />;
          return <li key={item.id}>{linkTo(item, content)}</li>;
        })}
      </ul>
      {items.length > most && (
        <Button icon="down" onPress={() => setMost(most + PAGE_SIZE)}>
          Show {Math.min(PAGE_SIZE, items.length - most)} more of {items.length.toLocaleString('en')}
        </Button>
      )}
    </>
  );
}

function Row({ item, by }: { readonly item: AnalysisView; readonly by: string | null }) {
  const { survey, file, isVerified, updatedAt, preview, custody } = item;
  return (
    <>
      <Preview blob={preview} />
      <span className={styles.words}>
        <b>{survey.name === '' ? 'A census photograph' : survey.name}</b>
        <span className={styles.found}>{foundText(item)}</span>
        <span>
          {[file, by, formatDateTime(updatedAt), isVerified ? 'verified' : null]
            .filter((word) => word !== null && word !== '')
            .join(' · ')}
        </span>
      </span>
      <CustodyLights lights={lightsOf(custody, true)} />
      <Icon name="next" />
    </>
  );
}

/** The largest classes, such as `Sand 62%, Boulder 21%`; else what kind of analysis it is. */
export function foundText({ found, kind, coverage }: Pick<AnalysisView, 'found' | 'kind' | 'coverage'>): string {
  if (found.length > 0) return found.map(({ label, coverage: share }) => `${label} ${formatShare(share)}`).join(', ');
  if (kind === 'form') return 'Percentages';
  if (coverage === null) return 'Cannot be read here';
  return `${(coverage * 100).toFixed(1)}% ${kind === 'labels' ? 'labelled' : 'painted'}`;
}

const formatShare = (share: number): string => (share < 0.01 ? 'under 1%' : `${Math.round(share * 100)}%`);

function Preview({ blob }: { readonly blob: Blob | null }) {
  const [shown, setShown] = useState<{ readonly of: Blob; readonly url: string } | null>(null);
  useEffect(() => {
    if (blob === null) return undefined;
    const url = URL.createObjectURL(blob);
    setShown({ of: blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return (
    <span className={styles.preview}>
      {shown !== null && shown.of === blob ? <img src={shown.url} alt="" /> : <Icon name="photos" />}
    </span>
  );
}
