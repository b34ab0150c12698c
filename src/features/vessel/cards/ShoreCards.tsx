import { formatBytes } from '../../../base/format-bytes';
import { formatCount } from '../../../base/plural';
import type { EdgeMeta, EdgeSurvey } from '../../../data/repositories';
import { Icon } from '../../../ui/display/Icon';
import type { IconName } from '../../../ui/display/icon-paths';
import { Meter } from '../../../ui/feedback/Meter';
import styles from './cards.module.css';
import { owedToShore } from '../vessel-text';

interface Props {
  readonly meta: EdgeMeta | undefined;
  readonly surveys: readonly EdgeSurvey[];
}

/** Counts only what has a cloud receipt. */
export function ShoreCard({ meta, surveys }: Props) {
  const here = surveys.reduce((sum, { images }) => sum + images.here, 0);
  const ashore = surveys.reduce((sum, { images }) => sum + images.ashore, 0);
  return (
    <section className={styles.card} aria-label="The shore">
      <h2 className={styles.withIcon}>
        <Icon name={ashore > 0 ? 'shore' : 'offline'} />
        {ashore === 0 ? 'Nothing is ashore yet' : ashore < here ? 'Some is ashore' : 'All photographs are ashore'}
      </h2>
      {meta !== undefined && here > 0 && (
        <Meter
          label="Ashore, with receipt"
          value={ashore}
          max={here}
          valueText={`${ashore.toLocaleString('en')} of ${here.toLocaleString('en')}`}
        />
      )}
      <p className={styles.quiet}>
        {meta === undefined
          ? 'Shown once the box is in reach.'
          : 'The box sends to the shore automatically when it has a connection. Until then, it keeps everything. Photographs that have been ashore for long may be kept as small pictures.'}
      </p>
    </section>
  );
}

export function OwedCard({ meta, surveys }: Props) {
  const owed = owedToShore(meta, surveys);
  const rows: readonly { readonly icon: IconName; readonly word: string; readonly value: string }[] = [
    { icon: 'photos', word: 'photographs', value: owed.photographs.toLocaleString('en') },
    { icon: 'survey', word: 'surveys', value: owed.surveys.toLocaleString('en') },
    // Earlier box versions count no bytes.
    owed.bytes === null
      ? { icon: 'disk', word: 'records in all', value: owed.records.toLocaleString('en') }
      : {
          icon: 'disk',
          word: `in all, ${formatCount(owed.records, 'record')}`,
          value: owed.bytes === 0 ? '0' : formatBytes(owed.bytes),
        },
  ];
  return (
    <section className={styles.card} aria-label="To send to the shore">
      <h2>To send to the shore</h2>
      <dl className={styles.owed}>
        {rows.map(({ icon, word, value }) => (
          <div key={icon}>
            <dt>
              <Icon name={icon} />
              {word}
            </dt>
            <dd>{meta === undefined ? '–' : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function AboardCard({ meta, surveys, asOf }: Props & { readonly asOf: string | null }) {
  if (meta === undefined) return null;
  return (
    <section className={`${styles.card} ${styles.list}`} aria-label="Surveys aboard">
      <header className={styles.listHead}>
        <h2>Surveys aboard</h2>
        <span className={styles.chart}>
          {asOf === null ? formatCount(meta.totals.images, 'photograph') : `as of ${asOf}`}
        </span>
      </header>
      {surveys.length === 0 && (
        <p className={`${styles.quiet} ${styles.empty}`}>None yet. They arrive with the first tablet that sends.</p>
      )}
      {surveys.length > 0 && (
        <ol>
          {surveys.map(({ id, name, date, images }) => (
            <li key={id} className={styles.survey}>
              <span className={styles.grow}>
                <b>{name === '' ? 'Unnamed' : name}</b>
                <span className={styles.quiet}>
                  {new Date(date).toString() === 'Invalid Date'
                    ? date
                    : new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })}
                </span>
              </span>
              <span className={styles.counts}>
                <b>{images.here.toLocaleString('en')}</b>
                <span className={styles.quiet}>
                  {images.here < images.total
                    ? `here of ${images.total.toLocaleString('en')}`
                    : images.ashore > 0
                      ? `here, ${images.ashore.toLocaleString('en')} ashore${(images.freed ?? 0) > 0 ? `; ${(images.freed ?? 0).toLocaleString('en')} as a small picture, the original is only ashore` : ''}`
                      : 'all here'}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
