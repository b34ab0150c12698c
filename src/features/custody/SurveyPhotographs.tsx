import { useMemo } from 'react';
import { formatCount } from '../../base/plural';
import type { HeldItem, PhotographStatus, PhotographName, Repositories } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Disclosure } from '../../ui/controls/Disclosure';
import { Waffle } from '../../ui/feedback/Waffle';
import { CustodyLights } from '../sync-status';
import { useObservable } from '../shell';
import { PhotographList } from './PhotographList';
import { Thumbnail } from './Thumbnail';
import styles from './SurveyPhotographs.module.css';
import { usePhotographNames } from './use-photograph-names';
import { waffleCell, lightsAt, placeText, waffleText } from './custody-text';

/** Most photographs with a row of their own; the full list is below. */
const ROWS_MAX = 12;

interface Props {
  readonly surveyId: SurveyId;
  readonly repositories: Pick<Repositories, 'custody' | 'census'>;
}

/** One cell for each photograph, and a row for each that is being sent or needs attention. */
export function SurveyPhotographs({
  surveyId,
  repositories: {
    custody,
    census: { images },
    custody: { sending },
  },
}: Props) {
  const { items } = useObservable(custody.photographs.ofSurvey(surveyId));
  const held = useObservable(sending.held).items;
  const cells = useMemo(() => Uint8Array.from(items, waffleCell), [items]);
  const telling = items.filter(
    ({ place, reason, lostBy }) =>
      ['on-its-way', 'held', 'missing', 'lost'].includes(place) ||
      (place === 'tablet' && (reason !== null || lostBy !== null)),
  );
  const rows = [
    ...telling.filter(({ place }) => place !== 'tablet'),
    ...telling.filter(({ place }) => place === 'tablet'),
  ].slice(0, ROWS_MAX);
  const names = usePhotographNames(
    custody,
    rows.map(({ id }) => id),
  );
  return (
    <>
      <div className={styles.waffle}>
        <Waffle label={waffleText(items)} cells={cells} />
        <p className={styles.key}>{waffleText(items)}</p>
      </div>
      {rows.length > 0 && (
        <ul aria-label="On their way or to review">
          {rows.map((photograph) => (
            <Row
              key={photograph.id}
              photograph={photograph}
              name={names.get(photograph.id)}
              images={images}
              held={held}
              sending={sending}
            />
          ))}
        </ul>
      )}
      {telling.length > rows.length && (
        <p
          className={styles.more}
        >{`and ${formatCount(telling.length - rows.length, 'more photograph')}, in the list below`}</p>
      )}
      <div className={styles.every}>
        <Disclosure title="One by one" detail={`${formatCount(items.length, 'photograph')}, each with its receipt`}>
          <PhotographList photographs={items} custody={custody} images={images} />
        </Disclosure>
      </div>
    </>
  );
}

function Row({
  photograph,
  name,
  images,
  held,
  sending,
}: {
  readonly photograph: PhotographStatus;
  readonly name: PhotographName | undefined;
  readonly images: Repositories['census']['images'];
  readonly held: readonly HeldItem[];
  readonly sending: Repositories['custody']['sending'];
}) {
  const items = held.filter(({ docId }) => docId === photograph.id);
  return (
    <li className={styles.row}>
      <Thumbnail
        images={images}
        sha256={photograph.isOnTablet && name?.hasPreview === true ? photograph.sha256 : null}
      />
      <span className={styles.words}>
        <b>Photograph {photograph.number}</b>
        <small>{name?.name}</small>
        <span>{placeText(photograph, new Date())}</span>
      </span>
      {photograph.place === 'held' && items.length > 0 && (
        <Button onPress={() => items.forEach(({ opId }) => void sending.releaseHeld(opId))}>Send again</Button>
      )}
      <CustodyLights lights={lightsAt(photograph)} />
    </li>
  );
}
