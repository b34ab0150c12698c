import { lazy, Suspense, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { Repositories } from '../../data/repositories';
import type { RegionId } from '../../domain/region/region-id';
import { decodeFirstPicture } from '../../domain/results/first-picture/decode-first-picture';
import { openSignIn } from '../auth';
import { FirstPicture, ReportMap, useFirstPicture, type ReportLayer } from '../map';
import { DEFAULT_REFERENCE, hasPriority, RESULTS_VIEW, sharedPath } from './address/report-address';
import type { GoToReport, ReportPlace } from './address/report-actions';
import { useReportAddress } from './address/use-report-address';
import { REGIONS } from '../../domain/region/regions';
import { useRegions } from './data/use-regions';
import { useReport } from './data/use-report';
import { useActiveReef } from './data/use-active-reef';
import { useExpectedVisitor, useVisitor } from './data/use-visitor';
import { coversOf } from './drawer/first-reefs';
import { FirstResults } from './drawer/FirstResults';
import { lateCode, useDrawer } from './drawer/use-drawer';
import { CensusPanel } from './panels/CensusPanel';
import { ResultsLegend } from './panels/ResultsLegend';
import { SignInPanel } from './panels/SignInPanel';
import { UnknownNote } from './panels/UnknownNote';
import { useInsets } from './panels/use-insets';
import { useMedia } from './panels/use-media';
import { Sheet } from './panels/Sheet';
import styles from './ReportPage.module.css';

// Lazy: their controls are not needed to paint the map.
const reportDrawer = lateCode(async () => ({ ReportDrawer: (await import('./drawer/ReportDrawer')).default }));
const publicResults = lateCode(async () => ({ PublicResults: (await import('./drawer/PublicResults')).default }));
type DrawerCode = NonNullable<(typeof reportDrawer | typeof publicResults)['code']>;
const ReefPanel = lazy(() => import('./reef/ReefPanel'));

interface Props {
  readonly repositories: Repositories | null;
  readonly regionId: RegionId;
  readonly place: ReportPlace;
  readonly go: GoToReport;
  readonly onOpenPage: (path: string) => void;
}

/** Report of one region: map, drawer, panels. */
export function RegionReport({ repositories, regionId, place, go, onOpenPage }: Props) {
  const regions = useRegions(repositories);
  const region = regions.find((one) => one.regionId === regionId) ?? REGIONS[regionId];
  const datasetId = place.datasetId ?? region.reportingDatasetId;
  const { address, actions } = useReportAddress(place, region, go);
  const data = useReport(repositories, region, datasetId, address.layers.includes('rubbleProbability'));
  const first = useFirstPicture(`/cdn/map/${regionId}/first.json`, decodeFirstPicture);
  const picture = useMemo(
    () => (first.picture === null ? null : coversOf(first.picture, datasetId)),
    [first.picture, datasetId],
  );
  const visitor = useVisitor(repositories);
  const expected = useExpectedVisitor(visitor);
  const isSignedOut = expected === 'signed-out';
  const isPhone = useMedia('(max-width: 700px)');
  const [hovered, setHovered] = useState<number | null>(null);
  const drawer = useRef<HTMLElement>(null);
  const figures = useRef<HTMLDivElement>(null);
  const { reef, isUnknown, surveys, markers, flight } = useActiveReef(
    data,
    { regionId, datasetId, reef: address.reef, survey: address.survey },
    visitor === 'signed-in',
  );
  // The card that was hovered may be gone, and with it the event that it is left.
  useEffect(() => setHovered(null), [address.reef, address.survey, address.tab, address.view, datasetId]);
  const hasHeadsUp = hasPriority(address.layers);
  useEffect(() => {
    if (visitor === 'signed-in' && hasHeadsUp)
      void import('./drawer/heads-up').then(({ showHeadsUp }) => showHeadsUp());
  }, [visitor, hasHeadsUp]);
  const [startView] = useState(address.place);
  // A reef of the first list that has no id there opens once the table has come.
  const [picked, setPicked] = useState<number | null>(null);
  const pickedId = picked === null ? undefined : data.table.value?.ids[picked];
  const { setReef } = actions;
  useEffect(() => {
    if (pickedId === undefined) return;
    setPicked(null);
    setReef(pickedId);
  }, [pickedId, setReef]);
  // Someone who is not signed in sees results alone, for any view in the address.
  const isResults = isSignedOut || address.view === RESULTS_VIEW;
  const { layers: chosen, reference } = address;
  const layers = useMemo(
    () =>
      new Set<ReportLayer>([
        ...(isSignedOut ? DEFAULT_REFERENCE : [...chosen, ...reference]),
        ...(isResults ? ['results' as const] : []),
      ]),
    [chosen, reference, isSignedOut, isResults],
  );

  const note = !region.isActive ? (
    <UnknownNote
      title={`The census of the region ${region.regionName} is not open`}
      ways={regions
        .filter(({ isActive }) => isActive)
        .map((one) => ({
          label: `Open ${one.regionName}`,
          onGo: () => onOpenPage(`/${one.regionId}/detailed-reporting`),
        }))}
    >
      Its report appears here once the first season begins.
    </UnknownNote>
  ) : data.dataset === undefined ? (
    <UnknownNote
      title={`${region.regionName} has no dataset called “${datasetId}”`}
      ways={[
        {
          label: `Show ${data.datasets.find(({ id }) => id === region.reportingDatasetId)?.name ?? 'the latest one'}`,
          onGo: () => actions.setDataset(region.reportingDatasetId),
        },
      ]}
    >
      It may have been removed, or the address is not complete.
    </UnknownNote>
  ) : null;
  const isBlurred = note !== null || (isSignedOut && !address.isLook);
  const hasDrawer = !isBlurred && visitor !== 'unknown' && data.report !== null;
  // Until the drawer is shown, the list of the first picture takes its place.
  const hasSheet = hasDrawer || (!isBlurred && (expected !== 'unknown' || address.isLook));
  // In the view of results both have the same list; in others the drawer has controls that need no reefs.
  const hasReefs = !isResults || data.paint !== null;
  const { code, onFirstListPressed } = useDrawer<DrawerCode>(
    { hasDrawer, hasReefs },
    isSignedOut ? publicResults : reportDrawer,
  );
  const insets = useInsets(drawer, figures, { hasDrawer: hasSheet, hasCard: reef !== null && !isPhone, isPhone });

  /** Escape: from the survey to its reef, from the reef to the list (3§4). */
  const stepBack = (event: KeyboardEvent<HTMLElement>): void => {
    // A dialog is drawn elsewhere, and closes itself.
    const isHere = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (event.key !== 'Escape' || event.defaultPrevented || !isHere) return;
    if (address.survey !== null) actions.setSurvey(null);
    else if (address.reef !== null) actions.setReef(null);
  };

  const panel =
    reef === null ? null : (
      <Suspense fallback={null}>
        <ReefPanel
          reef={reef}
          regionId={regionId}
          datasetName={data.dataset?.name ?? datasetId}
          onClose={() => actions.setReef(null)}
          onOpenPage={onOpenPage}
        />
      </Suspense>
    );
  return (
    <main className={styles.page} onKeyDown={stepBack}>
      <div className={styles.map} data-blurred={isBlurred} inert={isBlurred}>
        <FirstPicture
          picture={picture}
          bounds={region.mapBounds}
          insets={insets}
          startView={startView}
          onPainted={first.onPainted}
        />
        <ReportMap
          region={{
            regionId,
            regionName: region.regionName,
            mapBounds: region.mapBounds,
            mapAllenCoralBeforeId: region.mapAllenCoralBeforeId ?? '',
          }}
          meta={data.meta.value}
          table={data.table.value}
          paint={data.paint}
          layers={layers}
          rubble={data.rubble}
          locate={data.locate}
          startView={startView}
          insets={insets}
          selected={reef?.row ?? null}
          hovered={hovered}
          markers={markers}
          flight={flight}
          onHover={setHovered}
          onPick={(row) => actions.setReef(data.table.value?.ids[row] ?? null)}
          onPickSurvey={actions.setSurvey}
          onView={actions.setPlace}
        />
      </div>
      {isBlurred && (
        <div className={styles.veil}>
          {note ?? <SignInPanel regionName={region.regionName} onLook={actions.look} />}
        </div>
      )}
      {hasSheet && (
        <Sheet ref={drawer} label={expected === 'signed-in' ? 'Report' : 'Results'} isPhone={isPhone}>
          {code === null || data.report === null ? (
            <FirstResults
              picture={picture}
              censusYear={data.dataset?.censusYear ?? ''}
              selected={address.reef}
              onPick={({ row, featureId }) => (featureId === null ? setPicked(row) : actions.setReef(featureId))}
              onHover={setHovered}
              onPressed={onFirstListPressed}
              onSignIn={expected === 'signed-in' ? null : () => openSignIn()}
            />
          ) : 'PublicResults' in code ? (
            <code.PublicResults
              data={data}
              selected={address.reef}
              listKey={`${regionId} ${datasetId}`}
              path={sharedPath(regionId, datasetId, place.isPriority)}
              isUnknownReef={isUnknown}
              result={isPhone ? panel : null}
              onReef={actions.setReef}
              onHover={setHovered}
            />
          ) : (
            <code.ReportDrawer
              region={region}
              report={data.report}
              data={data}
              datasetId={datasetId}
              isPriority={place.isPriority}
              address={address}
              reef={reef}
              isUnknownReef={isUnknown}
              surveys={surveys}
              result={isPhone ? panel : null}
              packs={repositories?.edge.packs ?? null}
              actions={actions}
              onHover={setHovered}
            />
          )}
        </Sheet>
      )}
      {hasSheet && (
        <div className={styles.figures} ref={figures}>
          {expected === 'signed-in' && (
            <CensusPanel meta={data.dataset?.meta ?? null} reef={reef} isResults={isResults} />
          )}
        </div>
      )}
      {/* On a phone it would cover the reef that is open, of which the sheet names the band. */}
      {hasSheet && isResults && !(isPhone && reef !== null) && (
        <div className={styles.legend}>
          <ResultsLegend isPhone={isPhone} />
        </div>
      )}
      {hasDrawer && !isPhone && panel !== null && <div className={styles.card}>{panel}</div>}
    </main>
  );
}
