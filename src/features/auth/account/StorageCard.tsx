import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatBytes } from '../../../base/format-bytes';
import { pluralize } from '../../../base/plural';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Meter } from '../../../ui/feedback/Meter';
import { useObservable } from '../../shell';
import styles from './YouPage.module.css';

/** Storage use, and whether the browser granted persistence. */
export function StorageCard({ storage, space }: Pick<Repositories['tablet'], 'storage' | 'space'>) {
  const { ashore } = useObservable(space.facts);
  const { used, quota, photographsLeft, persisted } = useObservable(storage.facts);
  const [asked, setAsked] = useState(false);
  return (
    <section className={styles.card} id="storage" aria-labelledby="storage-title" tabIndex={-1}>
      <h2 id="storage-title">Space on this tablet</h2>
      {photographsLeft !== null && (
        <p className={styles.fact}>
          About <b>{roundedDown(photographsLeft).toLocaleString('en-GB')}</b> more photographs fit
        </p>
      )}
      {used !== null && quota !== null ? (
        <Meter
          label="Used by this app"
          value={used}
          max={quota}
          valueText={`${formatBytes(used)} of ${formatBytes(quota)}`}
          tone={photographsLeft !== null && photographsLeft < 100 ? 'look' : 'plain'}
        />
      ) : (
        <p>
          This browser does not report how much space is left. Anything that does not fit is refused with a message,
          never lost.
        </p>
      )}
      {ashore.photographs > 0 && (
        <p>
          {formatBytes(ashore.bytes)} of this {pluralize(ashore.photographs, 'is', 'are')} ashore too.{' '}
          <Link to="/photographs" hash="space">
            Free up space
          </Link>
        </p>
      )}
      {persisted === true ? (
        <p>The browser promised to keep this data, even when the tablet is low on space.</p>
      ) : (
        <>
          <p>
            {asked && persisted === false
              ? 'The browser has not promised yet. It promises this to installed apps: use “Install” or “Add to home screen” in its menu. Until then, send photographs to the box soon.'
              : 'The browser may delete this app’s data when the tablet is low on space. Ask the browser to keep it.'}
          </p>
          <Button icon="lock" onPress={() => void storage.requestPersistence().then(() => setAsked(true))}>
            Keep this data
          </Button>
        </>
      )}
    </section>
  );
}

/** Rounds an estimate down to two digits. */
function roundedDown(n: number): number {
  const step = 10 ** Math.max(0, String(n).length - 2);
  return Math.floor(n / step) * step;
}
