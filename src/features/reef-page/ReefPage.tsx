import { Link } from '@tanstack/react-router';
import { lazy, Suspense, use, useMemo } from 'react';
import type { Repositories } from '../../data/repositories';
import type { RegionId } from '../../domain/region/region-id';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSignIn } from '../auth';
import { asOfText, datasetsOf, ReadNote, useRead, useVisitor } from '../report-map';
import { PageHeader, useRegionConfig } from '../shell';
import { DatasetResult } from './DatasetResult';
import { SharePhotographs } from './drill/SharePhotographs';
import { saveReefCsv } from './export/save-reef';
import type { ReefSearch } from './reef-address';
import styles from './ReefPage.module.css';

const AnswerPage = lazy(() => import('./drill/AnswerPage'));

interface Props {
  readonly repositories: Repositories;
  readonly regionId: RegionId;
  /** Feature id. */
  readonly featureId: string;
  readonly search: ReefSearch;
  readonly onSearch: (search: ReefSearch) => void;
}

/** Everything public about a reef: its result in each dataset, and the way to the answers behind it. */
export function ReefPage({ repositories, regionId, featureId, search, onSearch }: Props) {
  const report = use(repositories.report.open());
  const region = useRegionConfig(repositories.census.regions, regionId);
  const visitor = useVisitor(repositories);
  const meta = useRead(report, (from) => from.meta(regionId), [regionId]);
  const table = useRead(report, (from) => from.table(regionId), [regionId]);
  const results = useRead(report, (from) => from.results(regionId), [regionId]);
  const row = useMemo(() => table.value?.ids.indexOf(featureId) ?? -1, [table.value, featureId]);
  const datasets = useMemo(() => datasetsOf(region, meta.value), [region, meta.value]);
  const own = useMemo(
    () =>
      (results.value ?? [])
        .filter((result) => result.featureId === featureId)
        .toSorted((a, b) => (a.year === b.year ? (a.datasetId < b.datasetId ? -1 : 1) : a.year < b.year ? 1 : -1)),
    [results.value, featureId],
  );
  const nameOf = (datasetId: string): string => datasets.find(({ id }) => id === datasetId)?.name ?? datasetId;
  const gid = table.value?.gids[row] ?? '';
  const name = table.value?.names[row] || (gid === '' ? `Reef ${featureId}` : `Reef ${gid}`);
  const isUnknown = table.value !== null && row === -1;
  const { dataset, share, photograph, answer } = search;
  const asOf = asOfText(results);
  const features = table.value;
  if (photograph !== undefined && answer !== undefined && visitor === 'signed-in')
    return (
      <Suspense fallback={<p role="status">Opening the answer.</p>}>
        <AnswerPage
          report={report}
          regionId={regionId}
          featureId={featureId}
          reef={name}
          search={{ ...search, photograph, answer }}
        />
      </Suspense>
    );
  return (
    <>
      <PageHeader
        title={isUnknown ? 'Reef not found' : name}
        sub={[region.regionName, gid === '' || name.includes(gid) ? '' : gid].filter((text) => text !== '').join(', ')}
      />
      <main className={styles.page} data-reef-page>
        <div className={styles.actions} data-screen-only>
          <Link
            to="/$region/detailed-reporting/{-$datasetId}/{-$subroute}"
            params={{ region: regionId }}
            search={{
              ...(isUnknown ? {} : { reef: featureId }),
              // Visitors see results, and no panel in front of them.
              ...(visitor === 'signed-out' ? { look: 'results' } : {}),
            }}
          >
            Back to the map
          </Link>
          <Link to="/methodology">What these numbers mean</Link>
        </div>
        <ReadNote read={table} loading="Reading the reefs of this region" />
        {table.status !== 'error' && <ReadNote read={results} loading="Reading the results of this region" />}
        {isUnknown && <p>The map of this region has no reef “{featureId}”. It may have been replaced.</p>}
        {features !== null && !isUnknown && results.value !== null && own.length === 0 && (
          <p>No photograph of this reef has been analysed yet.</p>
        )}
        {features !== null && own.length > 0 && (
          <>
            <div className={styles.cards}>
              {own.map((result) => (
                <DatasetResult
                  key={result.datasetId}
                  reef={name}
                  dataset={nameOf(result.datasetId)}
                  result={result}
                  table={features}
                  asOf={asOf}
                  share={result.datasetId === dataset ? share : undefined}
                  onShare={(chosen) => onSearch({ dataset: result.datasetId, share: chosen })}
                />
              ))}
            </div>
            {own.length > 1 && (
              <div className={styles.actions} data-screen-only>
                <Button onPress={() => saveReefCsv(own, features, name)}>Save all datasets as CSV</Button>
              </div>
            )}
            {share !== undefined && dataset !== undefined && (
              <div data-screen-only>
                {visitor === 'signed-out' ? (
                  <Note
                    icon="person"
                    title="Sign in to see photographs and answers"
                    action={<Button onPress={() => openSignIn()}>Sign in</Button>}
                  >
                    Results are for everyone; photographs are for the signed-in.
                  </Note>
                ) : (
                  <SharePhotographs
                    report={report}
                    regionId={regionId}
                    featureId={featureId}
                    datasetId={dataset}
                    dataset={nameOf(dataset)}
                    share={share}
                    imageId={photograph}
                  />
                )}
              </div>
            )}
          </>
        )}
      </main>
    </>
  );
}
