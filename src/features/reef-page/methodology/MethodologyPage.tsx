import { Link } from '@tanstack/react-router';
import { REGION_LIST } from '../../../domain/region/regions';
import { PageHeader } from '../../shell';
import styles from '../ReefPage.module.css';
import { MethodText } from './MethodText';

/** Meaning of the numbers of the census, how to compute them again, and sources. */
export function MethodologyPage() {
  return (
    <>
      <PageHeader title="What the numbers mean" sub="How photographs become a coral cover, and how sure it is" />
      <main className={styles.page} data-reef-page>
        <div className={styles.text}>
          <MethodText />

          <h2>Compute a figure again</h2>
          <p>
            Each reef page saves its figures as CSV, and links each share to its photographs and to the answers behind
            them. Open a reef from the <Link to="/detailed-reporting/{-$datasetId}/{-$subroute}">report</Link>. The
            present results of each region, with intervals and versions:{' '}
            {REGION_LIST.map(({ regionId, regionName }, n) => (
              <span key={regionId}>
                {n > 0 && ', '}
                <a href={`/cdn/map/${regionId}/results.csv`}>{regionName}</a>
              </span>
            ))}
            .
          </p>
          <p>
            A release has everything that its figures are made of, below <code>/cdn/map/region/releases/number</code>:
          </p>
          <ul>
            <li>
              <code>photographs.csv</code>: the consensus of each photograph, exact shares and variances
            </li>
            <li>
              <code>answers.csv</code>: what each analyst answered on each photograph, as shares of the picture
            </li>
            <li>
              <code>spread.json</code>: how much photographs and surveys of the region differ
            </li>
            <li>
              <code>results.csv</code>, <code>results.json</code>: the published figures
            </li>
          </ul>
          <p>
            Surveys, photographs and analysts have numbers of that release alone, so that no one can be recognised. With
            the program of the census, <code>npm run release:check -- address</code> computes every figure from these
            files, prints it, and names each that differs from the published one.
          </p>

          <h2>Files of a region</h2>
          <p>
            For other programs, below <code>/cdn/map/region</code>, such as <code>/cdn/map/gbr</code>. The addresses do
            not change.
          </p>
          <ul>
            <li>
              <code>results.csv</code>, <code>results.json</code>: the present results of all datasets
            </li>
            <li>
              <code>features.json</code>: reefs with number, name, position and bounds
            </li>
            <li>
              <code>dataset/surveyed-reefs.csv</code>, such as <code>grc6/surveyed-reefs.csv</code>: reefs with their
              public surveys and photographs
            </li>
            <li>
              <code>rubble.csv</code>: sites with rubble, once there are any; those of the census with interval,
              analysts and versions
            </li>
          </ul>
          <p>
            The results of a release are also a map, <code>/tiles/results-region-rnumber.pmtiles</code>, such as{' '}
            <code>/tiles/results-gbr-r1.pmtiles</code>: outlines of reefs with their covers, for programs that read
            PMTiles, such as QGIS.
          </p>

          <h2>Sources</h2>
          <p>
            Skill: A. P. Dawid and A. M. Skene, Maximum likelihood estimation of observer error-rates using the EM
            algorithm, Applied Statistics 28 (1979), 20–28. On pixels: S. K. Warfield, K. H. Zou and W. M. Wells,
            Simultaneous truth and performance level estimation (STAPLE), IEEE Transactions on Medical Imaging 23
            (2004), 903–921. Intervals: E. B. Wilson, Probable inference, the law of succession, and statistical
            inference, Journal of the American Statistical Association 22 (1927), 209–212. Calibration: C. Guo, G.
            Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML 2017.
          </p>
        </div>
      </main>
    </>
  );
}
