import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { formatCount } from '../../base/plural';
import type { Repositories, SurveyCustody } from '../../data/repositories';
import { formatDay } from '../../domain/survey/day';
import { Icon } from '../../ui/display/Icon';
import { NoWrap } from '../../ui/display/NoWrap';
import { CustodyLights, lightsOfMany } from '../sync-status';
import styles from './SurveyCustodyRow.module.css';
import { SurveyPhotographs } from './SurveyPhotographs';
import { totalsOf } from './custody-text';

interface Props {
  readonly survey: SurveyCustody;
  readonly to: 'box' | 'shore';
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly repositories: Pick<Repositories, 'custody' | 'census'>;
}

/** Surveys of this tablet's other users, counted together: their safety concerns anyone here, their contents do not. */
export function OthersCustodyRow({
  surveys,
  to,
}: {
  readonly surveys: readonly SurveyCustody[];
  readonly to: 'box' | 'shore';
}) {
  const sum = totalsOf(surveys);
  const { total, tablet, box, shore } = sum;
  const look = sum.held + sum.missing + sum.lost;
  return (
    <li className={styles.survey}>
      <div className={`${styles.row} ${styles.still}`}>
        <span className={styles.words}>
          <b>Others who use this tablet</b>
          <small>
            {formatCount(surveys.length, 'survey')}, {formatCount(total, 'photograph')}
            {look > 0 && <span className={styles.look}>, {look} to review when they are here</span>}
          </small>
        </span>
        <CustodyLights lights={lightsOfMany(sum, to)} counts={{ tablet, box, shore }} />
        <span className={styles.noArrow}>
          <Icon name="down" />
        </span>
      </div>
    </li>
  );
}

export function SurveyCustodyRow({ survey, to, isOpen, onToggle, repositories }: Props) {
  const panel = useId();
  const { surveyId, name, date, total, tablet, box, shore, held, missing, lost } = survey;
  const look = held + missing + lost;
  return (
    <li className={styles.survey}>
      <AriaButton className={styles.row ?? ''} aria-expanded={isOpen} aria-controls={panel} onPress={onToggle}>
        <span className={styles.words}>
          <b>
            <NoWrap>{name}</NoWrap>
          </b>
          <small>
            {date === '' ? '' : `${formatDay(date)}, `}
            {formatCount(total, 'photograph')}
            {look > 0 && <span className={styles.look}>, {look} to review</span>}
            {survey.editsOwed > 0 && `, ${formatCount(survey.editsOwed, 'change')} still to be sent`}
          </small>
        </span>
        <CustodyLights lights={lightsOfMany(survey, to)} counts={{ tablet, box, shore }} />
        <span className={isOpen ? styles.open : styles.closed}>
          <Icon name="down" />
        </span>
      </AriaButton>
      <div id={panel} hidden={!isOpen}>
        {isOpen && <SurveyPhotographs surveyId={surveyId} repositories={repositories} />}
        {isOpen && (
          <p className={styles.to}>
            <Link to="/surveys/$surveyId" params={{ surveyId }}>
              Open this survey
            </Link>
          </p>
        )}
      </div>
    </li>
  );
}
