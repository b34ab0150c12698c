import { Link } from '@tanstack/react-router';
import type { RegionId } from '../../../domain/region/region-id';
import type { ReportRepository } from '../../../data/repositories';
import { percentText, ReadNote, useRead } from '../../report-map';
import { shareText } from '../DatasetResult';
import type { SHARES } from '../reef-address';
import styles from '../ReefPage.module.css';
import { PhotographConsensus } from './PhotographConsensus';

interface Props {
  readonly report: ReportRepository;
  readonly regionId: RegionId;
  readonly featureId: string;
  readonly datasetId: string;
  readonly dataset: string;
  readonly share: (typeof SHARES)[number];
  /** Open photograph; undefined for none. */
  readonly imageId: string | undefined;
}

/** Photographs that make a share of a reef's pie, largest share first. */
export function SharePhotographs({ report, regionId, featureId, datasetId, dataset, share, imageId }: Props) {
  const read = useRead(report, (from) => from.sharePhotographs({ featureId, datasetId, share }), [
    featureId,
    datasetId,
    share,
  ]);
  const photographs = read.value ?? [];
  const open = photographs.find(({ image }) => image.id === imageId);
  const title = `${shareText(share)} in ${dataset}`;
  return (
    <section className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      <p className={styles.sub}>Photographs with this share, largest first. Each percentage is of that photograph.</p>
      <ReadNote read={read} loading="Reading photographs" />
      {read.status === 'ready' && photographs.length === 0 && <p>No public photograph of this reef has this share.</p>}
      <ol className={styles.list}>
        {photographs.map(({ image, surveyName, share: part }, n) => (
          <li key={image.id}>
            <Link
              to="/reefs/$region/$reef"
              params={{ region: regionId, reef: featureId }}
              search={{ dataset: datasetId, share, photograph: image.id }}
              resetScroll={false}
              aria-current={image.id === imageId ? 'true' : undefined}
            >
              {`${n + 1}. ${surveyName === '' ? 'Photograph' : surveyName}${image.name === '' ? '' : `, ${image.name}`}: ${percentText(100 * part)}`}
            </Link>
          </li>
        ))}
      </ol>
      {open !== undefined && <PhotographConsensus key={open.image.id} report={report} photograph={open} />}
      {imageId !== undefined && open === undefined && read.status === 'ready' && (
        <p role="status">The photograph of this address is not among them. It may have been deleted or made private.</p>
      )}
    </section>
  );
}
