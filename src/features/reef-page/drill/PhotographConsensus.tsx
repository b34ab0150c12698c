import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { ConsensusOfPhotograph, ReportRepository, SharePhotograph } from '../../../data/repositories';
import type { RegionId } from '../../../domain/region/region-id';
import { percentText, ReadNote, useRead } from '../../report-map';
import type { ReefSearch } from '../reef-address';
import styles from '../ReefPage.module.css';
import { agreementText, analystText, answersText, coverRows, placeText } from './consensus-text';
import { ConsensusPicture } from './ConsensusPicture';

interface Props {
  readonly report: ReportRepository;
  readonly photograph: SharePhotograph;
  readonly regionId: RegionId;
  readonly featureId: string;
  /** Address of the open photograph. */
  readonly search: ReefSearch;
}

const NO_PLACES: ConsensusOfPhotograph['places'] = [];

/** Consensus over a photograph, and the answers behind it: analysts by letter, names for staff. */
export function PhotographConsensus({ report, photograph: { image, surveyName }, regionId, featureId, search }: Props) {
  const read = useRead(report, (from) => from.consensus(image.id), [image.id]);
  const [consensus] = read.value ?? [];
  const heading = useRef<HTMLHeadingElement>(null);
  // Also after the way back from an answer: the next key reaches the others.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={styles.card} aria-label="Consensus of the photograph">
      <h3 ref={heading} tabIndex={-1}>
        {surveyName === '' ? 'Consensus of the photograph' : `Consensus of a photograph of ${surveyName}`}
      </h3>
      <ConsensusPicture report={report} image={image} places={consensus?.places ?? NO_PLACES} />
      <ReadNote read={read} loading="Reading the consensus" />
      {consensus === undefined && read.status === 'ready' && <p>No answer counts for this photograph yet.</p>}
      {consensus !== undefined && (
        <>
          <p>
            {agreementText(consensus)}. Skill {consensus.skill}.
            {consensus.isBad && ' Judged as a bad photograph: it counts in no cover.'}
          </p>
          <ul className={styles.list} aria-label="Cover of the photograph">
            {coverRows(consensus.shares).map(({ name, percent }) => (
              <li key={name}>
                {name} {percentText(percent)}
              </li>
            ))}
          </ul>
          {consensus.places.length > 0 && (
            <>
              <h3>Places in doubt</h3>
              <ol className={styles.list}>
                {consensus.places.map((place) => (
                  <li key={place.id}>
                    {placeText(place)} <small>({answersText(place)})</small>
                  </li>
                ))}
              </ol>
            </>
          )}
          <h3>Answers behind it</h3>
          <ul className={styles.rows}>
            {consensus.analysts.map((analyst) => (
              <li key={analyst.analyst}>
                {analyst.answerId === null ? (
                  analystText(analyst)
                ) : (
                  <Link
                    to="/reefs/$region/$reef"
                    params={{ region: regionId, reef: featureId }}
                    search={{ ...search, answer: analyst.answerId }}
                  >
                    {analystText(analyst)}, open the answer
                  </Link>
                )}
                {analyst.unread !== null && <small> Not counted: {analyst.unread}</small>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
