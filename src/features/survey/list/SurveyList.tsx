import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { formatCount } from '../../../base/plural';
import type { Custody, Repositories, SurveyCustody, SurveyRepository, SurveyView } from '../../../data/repositories';
import { formatDay } from '../../../domain/survey/day';
import { logOf } from '../../../domain/survey/log';
import { Icon } from '../../../ui/display/Icon';
import { NoWrap } from '../../../ui/display/NoWrap';
import { useObservable, useThumbnail } from '../../shell';
import { CustodyLights, lightsOfMany } from '../../sync-status';
import styles from './SurveyList.module.css';

/** Estimated row height, px. */
const ROW_PX = 74;

interface Props {
  readonly surveys: readonly SurveyView[];
  readonly custody: readonly SurveyCustody[];
  readonly images: Repositories['census']['images'];
  /** Current user, and names of others. */
  readonly me: string | null;
  readonly names: ReadonlyMap<string, string>;
  /** Survey last open, which is offered above the list. */
  readonly lastOpen: SurveyRepository['current'];
  /** Current destination of uploads. */
  readonly to: 'box' | 'shore';
  /** Scroll container: the page. */
  readonly scroller: RefObject<HTMLElement | null>;
}

/** Virtualised list of surveys with their custody. */
export function SurveyList({ surveys, custody, images, me, names, lastOpen, to, scroller }: Props) {
  const place = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const lastId = useObservable(lastOpen);
  // One survey alone needs no second way in.
  const last = surveys.length > 1 ? surveys.find(({ id }) => id === lastId) : undefined;
  const counts = useMemo(() => new Map(custody.map((each) => [each.surveyId, each])), [custody]);
  useLayoutEffect(() => {
    if (place.current === null || scroller.current === null) return;
    setTop(
      place.current.getBoundingClientRect().top -
        scroller.current.getBoundingClientRect().top +
        scroller.current.scrollTop,
    );
  }, [scroller, surveys.length, last]);
  // The React compiler is off; the virtualiser's functions change with each scroll.
  const virtual = useVirtualizer({
    count: surveys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (i) => surveys[i]?.id ?? i,
    scrollMargin: top,
    overscan: 6,
  });
  return (
    <>
      {last !== undefined && (
        <p className={styles.last}>
          Last open: <NoWrap>{nameOf(last)}</NoWrap>.{' '}
          <Link to="/surveys/$surveyId" params={{ surveyId: last.id }}>
            Open it again
          </Link>
        </p>
      )}
      <ul ref={place} className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((row) => {
          const survey = surveys[row.index];
          if (survey === undefined) return null;
          return (
            <li
              key={row.key}
              ref={virtual.measureElement}
              data-index={row.index}
              aria-setsize={surveys.length}
              aria-posinset={row.index + 1}
              className={styles.item}
              style={{ transform: `translateY(${row.start - top}px)` }}
            >
              <Link to="/surveys/$surveyId" params={{ surveyId: survey.id }}>
                <SurveyRow
                  survey={survey}
                  images={images}
                  by={survey.person === me ? 'you' : (survey.person === null ? '' : names.get(survey.person)) || ''}
                  counts={counts.get(survey.id)}
                  to={to}
                />
              </Link>
            </li>
          );
        })}
      </ul>
    </>
  );
}

const NO_COUNTS = { total: 0, tablet: 0, box: 0, shore: 0, onItsWay: 0 };

function SurveyRow({
  survey,
  images,
  by,
  to,
  counts = NO_COUNTS,
}: {
  readonly survey: SurveyView;
  readonly images: Repositories['census']['images'];
  /** Name of the author; empty if unknown. */
  readonly by: string;
  readonly to: 'box' | 'shore';
  readonly counts: Pick<SurveyCustody, 'total' | 'tablet' | 'box' | 'shore' | 'onItsWay'> | undefined;
}) {
  return (
    <span className={styles.row}>
      <Thumbnail images={images} survey={survey} />
      <span className={styles.words}>
        <b>
          <NoWrap>{nameOf(survey)}</NoWrap>
        </b>
        <span className={styles.quiet}>
          {survey.date === '' ? 'No date yet' : formatDay(survey.date)},{' '}
          <span className={styles.whole}>{formatCount(counts.total, 'photograph')}</span>
          {heldText(survey.custody)}
        </span>
        <span className={styles.quiet}>
          {[logOf(survey.doc).siteName, by === '' ? '' : `by ${by}`].filter((word) => word !== '').join(', ')}
        </span>
        {survey.conflicts > 0 && (
          <span className={styles.look}>
            <Icon name="dup" />
            Conflicting edits: {formatCount(survey.conflicts, 'value')} to resolve
          </span>
        )}
      </span>
      <CustodyLights lights={lightsOfMany(counts, to)} counts={counts} />
      <Icon name="next" />
    </span>
  );
}

/** First photograph with a preview on this tablet. */
function Thumbnail({
  images,
  survey,
}: {
  readonly images: Repositories['census']['images'];
  readonly survey: SurveyView;
}) {
  const photographs = useObservable(useMemo(() => images.ofSurvey(survey.id), [images, survey.id])).items;
  const sha256 = photographs.find(({ preview }) => preview === 'here')?.sha256;
  const url = useThumbnail(images, sha256 ?? null);
  return <span className={styles.picture}>{url === null ? <Icon name="photos" /> : <img src={url} alt="" />}</span>;
}

const nameOf = ({ name }: SurveyView): string => (name === '' ? 'No place yet' : name);

function heldText(custody: Custody): string {
  return custody.status === 'held' ? `. On hold: ${custody.reason.message}` : '';
}
