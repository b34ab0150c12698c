import { Link } from '@tanstack/react-router';
import type { ConsensusOfPhotograph, ReportRepository, SharePhotograph } from '../../../data/repositories';
import { percentText, ReadNote, useRead } from '../../report-map';
import styles from '../ReefPage.module.css';
import { agreementText, analystText, answersText, coverRows, placeText } from './consensus-text';
import { ConsensusPicture } from './ConsensusPicture';

interface Props {
  readonly report: ReportRepository;
  readonly photograph: SharePhotograph;
}

const NO_PLACES: ConsensusOfPhotograph['places'] = [];

/** Consensus over a photograph, and the answers behind it: analysts by letter, names for staff. */
export function PhotographConsensus({ report, photograph: { image, surveyName } }: Props) {
  const read = useRead(report, (from) => from.consensus(image.id), [image.id]);
  const [consensus] = read.value ?? [];
  return (
    <section className={styles.card} aria-label="Consensus of the photograph">
      <h3>{surveyName === '' ? 'Consensus of the photograph' : `Consensus of a photograph of ${surveyName}`}</h3>
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
          <ul className={styles.list}>
            {consensus.analysts.map((analyst) => (
              <li key={analyst.analyst}>
                {analyst.analysisId === null || image.surveyId === '' ? (
                  analystText(analyst)
                ) : (
                  <Link
                    to="/analysis/library/$survey/$analysis"
                    params={{ survey: image.surveyId, analysis: analyst.analysisId }}
                  >
                    {analystText(analyst)}, open the strokes
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
