import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
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
  const isPhotographOpen = useRef(imageId !== undefined);
  const photographs = read.value ?? [];
  const open = photographs.find(({ image }) => image.id === imageId);
  const heading = useRef<HTMLHeadingElement>(null);
  // The photographs are below the results: focus and screen readers continue there.
  useEffect(() => {
    if (!isPhotographOpen.current) heading.current?.focus();
  }, [share]);
  const title = `${shareText(share)} in ${dataset}`;
  return (
    <section className={styles.card} aria-label={title}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className={styles.sub}>Photographs with this share, largest first. Each percentage is of that photograph.</p>
      <ReadNote read={read} loading="Reading photographs" subject="The photographs behind a share" />
      {read.status === 'ready' && photographs.length === 0 && <p>No public photograph of this reef has this share.</p>}
      <ol className={styles.rows}>
        {photographs.map(({ image, surveyName, share: part }, n) => (
          <li key={image.id}>
            <Link
              to="/reefs/$region/$reef"
              params={{ region: regionId, reef: featureId }}
              search={{ dataset: datasetId, share, photograph: image.id }}
              resetScroll={false}
              aria-current={image.id === imageId ? 'true' : undefined}
            >
              {`${n + 1}. ${surveyName === '' ? 'Photograph' : surveyName}${image.name === '' ? '' : `, ${image.name}`} `}
              <b>{percentText(100 * part)}</b>
            </Link>
          </li>
        ))}
      </ol>
      {open !== undefined && (
        <PhotographConsensus
          key={open.image.id}
          report={report}
          photograph={open}
          regionId={regionId}
          featureId={featureId}
          search={{ dataset: datasetId, share, photograph: open.image.id }}
        />
      )}
      {imageId !== undefined && open === undefined && read.status === 'ready' && (
        <p role="status">The photograph of this address is not among them. It may have been deleted or made private.</p>
      )}
    </section>
  );
}
