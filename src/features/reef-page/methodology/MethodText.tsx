import { ANALYSIS_LIMITS } from '../../../domain/limits/analysis';
import { TYPED_WEIGHT } from '../../../domain/consensus/compositions';
import { CERTAINTIES, CERTAINTY_TEXT, CLASS_LABELS, COVER_BANDS } from '../../../domain/results/bands';
import { COVER_CLASSES, type CoverClass } from '../../../domain/results/cover';
import { KNOWN_MIN } from '../../../domain/results/estimates/photograph-covers';
import { PHOTOGRAPHS_MIN, PIPELINE_VERSION } from '../../../domain/results/reef-result';
import styles from '../ReefPage.module.css';

const { analysesPerImage, badAnswersMin, batchImages, controlEvery } = ANALYSIS_LIMITS;

/** Content of each class of a cover. */
const CLASS_CONTENTS: Readonly<Record<CoverClass, string>> = {
  branching: 'Living hard coral in branches or fingers.',
  plating: 'Living hard coral in tables and plates.',
  massive: 'Living hard coral in boulders and domes.',
  other: 'Soft coral, other living hard coral, and white (bleached) coral whose shape was not named.',
  rubble: 'Loose pieces of dead coral, where the labels of an analysis have a name for them. No living coral.',
  none: 'Sand, rock, algae, dead coral, and, where outlines were labelled, what no one outlined.',
  unknown: 'Water, shade, animals that swim by, divers and gear, and, where people painted, what no one painted.',
};

/** Meaning of the numbers, in plain language; numbers come from the rules that compute them. */
export function MethodText() {
  return (
    <>
      <h2>What is measured</h2>
      <p>
        A coral cover is the share of a reef’s photographs that shows living coral. For one photograph it is the area of
        a class divided by the picture’s area less what is unknown. The area is that of the picture, not of the sea
        floor: near things count more than far ones.
      </p>
      <table className={styles.table}>
        <caption>Classes</caption>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">What counts in it</th>
          </tr>
        </thead>
        <tbody>
          {COVER_CLASSES.map((name) => (
            <tr key={name}>
              <th scope="row">{CLASS_LABELS[name]}</th>
              <td>{CLASS_CONTENTS[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        Total coral cover is the sum of branching, plating, massive and other coral. Bleached coral is alive and counts
        as coral.
      </p>

      <h2>Who answers</h2>
      <p>
        Volunteers and experts label outlines, paint on the photograph, or, experts alone, type percentages. A
        photograph is offered until {analysesPerImage} people have analysed it, or, after at least {badAnswersMin}{' '}
        answers, until it is more likely bad than not. One analysis counts for each person and photograph: the latest.
        About one photograph in {controlEvery} that a volunteer gets is one that an expert has analysed. It is not
        marked, so that we learn how well each person sees.
      </p>

      <h2>How answers become the consensus of a photograph</h2>
      <p>
        People differ in what they recognise. From all answers on public surveys we estimate how often each person takes
        one class for another (the method of Dawid and Skene). Answers of experts are taken as known, with a small
        chance of error. Someone with few answers counts as a typical person. A practised eye then weighs more than a
        careless one, and each place of a photograph gets a probability for each class. Because people tend to make the
        same mistakes, these probabilities are calibrated on photographs that experts have analysed. The estimate of
        skill is renewed each night and has a number; between two renewals a new answer changes its own photograph
        alone.
      </p>
      <p>
        A photograph that is more likely bad than not counts in no cover, nor does one of which less than{' '}
        {Math.round(100 * KNOWN_MIN)}% is known.
      </p>

      <h2>From photographs to a reef</h2>
      <p>
        Each photograph counts alike within its survey. Surveys are averaged over a reef; one with more photographs
        weighs more, but no more than the difference between surveys allows. With fewer than {PHOTOGRAPHS_MIN}{' '}
        photographs that count, a cover is “Not available”. A survey belongs to the reef that it names, else to the one
        in or beside which its position lies.
      </p>

      <h2>Intervals and certainty</h2>
      <p>
        Each cover has a 95% interval. It becomes wider with fewer photographs, with surveys that differ, and with
        answers that leave doubt. How much photographs and surveys differ is estimated over all reefs of a region, since
        one reef has too few. The method is tested on simulated reefs whose cover is known: the intervals must hold the
        truth in 93 to 97 of 100 reefs.
      </p>
      <p>
        The words follow the width of the interval:{' '}
        {CERTAINTIES.map(({ id, until }, n) =>
          until === Infinity
            ? `${lowerFirst(CERTAINTY_TEXT[id])} above`
            : `${lowerFirst(CERTAINTY_TEXT[id])} up to ${until}${n === 0 ? ' percentage points' : ''}, `,
        ).join('')}
        .
      </p>
      <p>
        On the map a cover is{' '}
        {COVER_BANDS.map(
          ({ label, from, until }, n) =>
            `${lowerFirst(label)} ${n === 0 ? `below ${until}%` : until === 100 ? `from ${from}%` : `from ${from} to ${until}%`}`,
        ).join(', ')}
        . A cover on a limit belongs to the band above. Both upper bands are called high, in two colours.
      </p>

      <h2>Preliminary figures and releases</h2>
      <p>
        Photographs are offered in batches of {batchImages.toLocaleString('en-GB')}. A batch of which no photograph
        still waits for answers becomes a numbered release, and its files never change. A reef belongs to a release once
        all its photographs do. Until then its figure is preliminary, and may change with each answer.
      </p>
      <p>
        Every figure names the version of the skill, the version of the method (now {PIPELINE_VERSION}) and the release.
        The same answers with the same versions give the same figure, to the last digit, in any order of arrival.
      </p>

      <h2>What the numbers do not say</h2>
      <ul>
        <li>Photographs show where divers went, not the whole reef. The interval does not cover that.</li>
        <li>A mistake that most people make alike stays where no expert has looked.</li>
        <li>An area in a photograph depends on distance and angle, which are not corrected.</li>
        <li>
          Typed percentages have no places. They count as if the picture had been sampled at {TYPED_WEIGHT} points.
        </li>
        <li>Surveys that are private enter no public figure. A survey without a reef counts in its dataset alone.</li>
        <li>Years are seasons: a season over New Year has the year in which it begins.</li>
      </ul>
    </>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
