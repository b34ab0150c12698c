import { useState } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { NoWrap } from '../../../ui/display/NoWrap';
import { APP_VERSION, useObservable } from '../../shell';
import { FlagList } from './FlagList';
import { detailsText, logText } from './log-text';
import styles from './YouPage.module.css';

const LEVEL_LABELS = { info: 'Info', warn: 'Warning', error: 'Error' } as const;

/** App version, log to read or to share with support, and feature flags. */
export function LogCard({ log }: Pick<Repositories['tablet'], 'log'>) {
  const entries = useObservable(log.entries);
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  const copy = async (): Promise<void> => {
    const text = logText(entries, {
      app: `Great Reef Census ${APP_VERSION}`,
      address: location.origin,
      browser: navigator.userAgent,
      screen: `${innerWidth}x${innerHeight}`,
    });
    try {
      await navigator.clipboard.writeText(text);
      setCopied('yes');
    } catch (_refused) {
      setCopied('refused');
    }
  };
  return (
    <section className={styles.card} id="about" aria-labelledby="about-title" tabIndex={-1}>
      <h2 id="about-title">This app</h2>
      <p>
        Great Reef Census {APP_VERSION}, from <NoWrap>{location.host}</NoWrap>.{' '}
        <a href="/edge/trust">How this tablet trusts the box</a>
      </p>
      <Disclosure title="App log" detail={entries.length === 0 ? 'nothing' : `the last ${entries.length}`}>
        {entries.length === 0 ? (
          <p className={styles.help}>No problems so far.</p>
        ) : (
          <ol className={styles.log} aria-label="App log, newest first" tabIndex={0}>
            {[...entries].reverse().map((entry, i) => (
              <li key={`${entry.at}-${i}`}>
                <span className={styles.when}>
                  {new Date(entry.at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })} ·{' '}
                  {LEVEL_LABELS[entry.level]}
                </span>
                <span>{entry.message}</span>
                {entry.details !== undefined && <span className={styles.details}>{detailsText(entry.details)}</span>}
              </li>
            ))}
          </ol>
        )}
      </Disclosure>
      <Button icon="dup" isDisabled={entries.length === 0} onPress={() => void copy()}>
        {copied === 'yes' ? 'Copied' : 'Copy log'}
      </Button>
      {copied === 'refused' && (
        <p role="status">The browser does not allow copying here. Select the list above and copy it by hand.</p>
      )}
      <FlagList />
    </section>
  );
}
