import { useState, type ReactNode } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Meter } from '../../../ui/feedback/Meter';
import { useObservable } from '../../shell';
import { formatBytes } from './log-text';
import styles from './YouPage.module.css';

/** Storage use, and whether the browser granted persistence. */
export function StorageCard({
  storage,
  space,
  toPhotographs,
}: Pick<Repositories, 'storage' | 'space'> & { readonly toPhotographs: (words: string) => ReactNode }) {
  const { ashore } = useObservable(space.facts);
  const { used, quota, photographsLeft, persisted } = useObservable(storage.facts);
  const [asked, setAsked] = useState(false);
  return (
    <section className={styles.card} id="storage" aria-labelledby="storage-title" tabIndex={-1}>
      <h2 id="storage-title">Room on this tablet</h2>
      {photographsLeft !== null && (
        <p className={styles.fact}>
          About <b>{roundedDown(photographsLeft).toLocaleString('en-AU')}</b> more photographs fit
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
        <p>This browser does not say how much room there is. What does not fit is refused with words, never lost.</p>
      )}
      {ashore.photographs > 0 && (
        <p>
          {formatBytes(ashore.bytes)} of this {ashore.photographs === 1 ? 'is' : 'are'} ashore too.{' '}
          {toPhotographs('Free that room')}
        </p>
      )}
      {persisted === true ? (
        <p>The browser promised to keep what is here, even when the tablet runs short.</p>
      ) : (
        <>
          <p>
            {asked && persisted === false
              ? 'The browser gave no promise yet. It gives one to an app that is installed: use “Install” or “Add to home screen” in its menu. Until then, bring photographs to the box soon.'
              : 'The browser may clear this app’s data when the tablet runs short of room. Ask it to keep them.'}
          </p>
          <Button icon="lock" onPress={() => void storage.requestPersistence().then(() => setAsked(true))}>
            Keep what is here
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
