import { Link } from '@tanstack/react-router';
import { REPORT_LIMITS } from '../../../domain/limits';
import { PHOTOGRAPHS_MIN } from '../../../domain/results/reef-result';
import { REGION_LIST } from '../../../domain/region/regions';
import { PageHeader } from '../../shell';
import styles from '../ReefPage.module.css';

/** Analyses after which a photograph is not offered any more (2§1). */
const ANALYSES = 5;

/** Meaning of the numbers of the census, in plain language. */
export function MethodologyPage() {
  return (
    <>
      <PageHeader title="What the numbers mean" sub="How photographs become a coral cover, and how sure it is" />
      <main className={styles.page}>
        <div className={styles.text}>
          <h2>Who answers</h2>
          <p>
            Volunteers and experts look at photographs of reefs and mark where they see branching, plating, massive
            (boulder) and other coral. A photograph is shown to {ANALYSES} people. One analysis counts for each person
            and photograph: the latest one.
          </p>
          <h2>How answers become a cover</h2>
          <p>
            People differ in what they recognise. From all their answers, and from photographs that experts have
            analysed, we estimate how often each person takes one kind of coral for another. A practised eye then weighs
            more than a careless one. The result is a probability of each class at each place of a photograph. A cover
            is the area of a class as a share of the picture, less what is unknown. Photographs are averaged within a
            survey, surveys within a reef.
          </p>
          <h2>What unknown and no coral mean</h2>
          <p>
            Water, shade and places that no one painted are unknown, and left out of the cover. Sand, rock, rubble and
            dead coral are no coral. Bleached coral is alive, and counts as coral. A photograph that is likely to be bad
            counts in no cover.
          </p>
          <h2>Intervals and certainty</h2>
          <p>
            Each cover has a 95% interval: if we repeated the survey many times, about 95 of 100 such intervals would
            hold the true cover of what was photographed. Few photographs, surveys that differ and analysts who disagree
            make it wider. The words follow its width: very certain up to 10 percentage points, fairly certain up to 20,
            uncertain up to 40, very uncertain above. With fewer than {PHOTOGRAPHS_MIN} photographs a cover is not
            available.
          </p>
          <h2>Bands of the map</h2>
          <p>
            Low, medium, medium-high and high stand for covers with limits at{' '}
            {REPORT_LIMITS.coralCoverBands
              .slice(0, -1)
              .map(({ until }) => until)
              .join(', ')}
            %. A cover on a limit belongs to the band above. Both upper bands are called high, in two colours.
          </p>
          <h2>Preliminary and release</h2>
          <p>
            Photographs are offered in batches. Once each photograph of a batch has {ANALYSES} analyses, or is bad, the
            batch becomes a numbered release. Until then a figure is preliminary, and may change with each answer.
          </p>
          <h2>Versions</h2>
          <p>
            Each figure has the version of the skill estimate, the version of the method, and the number of the release.
            The same answers with the same versions give the same figure, to the last digit.
          </p>
          <h2>Limits</h2>
          <p>
            Photographs show where divers went, not the whole reef, and the interval cannot correct for that. Errors
            that most people make alike remain where no expert looked. Private surveys enter no public figure. Reefs
            with changed outlines keep their key, not their area.
          </p>
          <h2>Reproduce a figure</h2>
          <p>
            The published results of each region, with intervals and versions, as CSV:{' '}
            {REGION_LIST.map(({ regionId, regionName }, n) => (
              <span key={regionId}>
                {n > 0 && ', '}
                <a href={`/cdn/map/${regionId}/results.csv`}>{regionName}</a>
              </span>
            ))}
            . Each reef page saves its own rows, and leads from a share to its photographs and to the answers behind
            them. Open a reef from the <Link to="/detailed-reporting/{-$datasetId}/{-$subroute}">report</Link>.
          </p>
          <h2>Sources</h2>
          <p>
            Skill: A. P. Dawid and A. M. Skene, Maximum likelihood estimation of observer error-rates using the EM
            algorithm, Applied Statistics 28 (1979), 20–28. On pixels: S. K. Warfield, K. H. Zou and W. M. Wells,
            Simultaneous truth and performance level estimation (STAPLE), IEEE Transactions on Medical Imaging 23
            (2004), 903–921.
          </p>
        </div>
      </main>
    </>
  );
}
