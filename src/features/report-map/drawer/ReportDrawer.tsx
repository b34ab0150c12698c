import { useRef, type ReactNode } from 'react';
import type { ReportRead, ReportRepository, ReportSurvey, Repositories } from '../../../data/repositories';
import type { Region } from '../../../domain/region/region';
import { Segmented } from '../../../ui/controls/Segmented';
import { Select } from '../../../ui/controls/Select';
import { Tabs } from '../../../ui/controls/Tabs';
import { Icon } from '../../../ui/display/Icon';
import {
  offeredLayers,
  offeredReference,
  RESULTS_VIEW,
  sharedPath,
  type ReportAddress,
} from '../address/report-address';
import type { ReportActions } from '../address/report-actions';
import { asOfText } from '../data/read-text';
import type { ReportReef } from '../data/report-data';
import type { ReportData } from '../data/use-report';
import { DatasetCover } from '../reef/DatasetCover';
import { CopyLink } from './CopyLink';
import { LegendsTab } from './LegendsTab';
import list from './list.module.css';
import { ReefsTab } from './ReefsTab';
import styles from './ReportDrawer.module.css';
import { SettingsTab } from './SettingsTab';
import { SurveysTab } from './SurveysTab';
import { TakeAlong } from './TakeAlong';
import { UnknownReef } from './UnknownReef';
import { useFocusOnStep } from './use-focus-on-step';

interface Props {
  readonly region: Region;
  readonly report: ReportRepository;
  readonly data: ReportData;
  readonly datasetId: string;
  /** True for the subroute `priority`. */
  readonly isPriority: boolean;
  readonly address: ReportAddress;
  readonly reef: ReportReef | null;
  readonly isUnknownReef: boolean;
  readonly surveys: ReportRead<readonly ReportSurvey[]>;
  /** Result of the reef where it has no card of its own, as on a phone. */
  readonly result: ReactNode;
  /** Maps on this tablet; null until the tablet's data is open. */
  readonly packs: Repositories['edge']['packs'] | null;
  readonly actions: ReportActions;
  readonly onHover: (row: number | null) => void;
}

const TABS = [
  { id: 'surveys', label: 'Surveys' },
  { id: 'legends', label: 'Legends' },
  { id: 'settings', label: 'Settings' },
] as const;
const RESULT_TABS = [{ id: 'reefs', label: 'Reefs' }] as const;

/** Drawer titled Report: view, dataset, and the tabs of the view (3§2 "Report screen"). */
export default function ReportDrawer(props: Props) {
  const { region, report, data, datasetId, address, reef, surveys, result, actions, onHover } = props;
  const content = useRef<HTMLDivElement>(null);
  useFocusOnStep(content, address);
  const isResults = address.view === RESULTS_VIEW;
  const offered = offeredLayers(region, datasetId);
  const listKey = `${region.regionId} ${datasetId}`;
  const asOf = asOfText(data.meta.asOf === null ? data.table : data.meta);
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>Report</h1>
        <Select
          label="Dataset"
          isLabelHidden
          options={data.datasets.map(({ id, name, censusYear }) => ({
            value: id,
            label: name.includes(censusYear) ? name : `${name} · ${censusYear}`,
          }))}
          value={datasetId}
          onChange={actions.setDataset}
        />
      </div>
      <div className={styles.views}>
        <Segmented
          label="View"
          isLabelHidden
          options={region.layers.views.map(({ id, displayName }) => ({ value: id, label: displayName }))}
          value={address.view}
          onChange={actions.setView}
        />
      </div>
      {isResults && <DatasetCover meta={data.dataset?.meta ?? null} />}
      <div className={styles.foot}>
        {asOf !== null && (
          <p>
            {data.meta.status === 'stored' && <Icon name="offline" />}
            {asOf}
            {data.meta.status === 'stored' ? ', stored on this tablet.' : '.'}
          </p>
        )}
        <CopyLink path={sharedPath(region.regionId, datasetId, props.isPriority)} />
      </div>
      <div className={styles.content} ref={content} tabIndex={-1} data-drawer-content>
        {props.isUnknownReef && <UnknownReef onAll={() => actions.setReef(null)} />}
        {isResults ? (
          <Tabs label="Results" tabs={RESULT_TABS} selected="reefs" onSelect={() => undefined}>
            {result !== null ? (
              <div className={list.pane}>{result}</div>
            ) : (
              <ReefsTab
                data={data}
                selected={address.reef}
                listKey={listKey}
                onReef={actions.setReef}
                onHover={onHover}
              />
            )}
          </Tabs>
        ) : (
          <Tabs label="Report" tabs={TABS} selected={address.tab} onSelect={actions.setTab}>
            {address.tab === 'surveys' && (
              <SurveysTab
                report={report}
                data={data}
                reef={reef}
                surveys={surveys}
                surveyId={address.survey}
                listKey={listKey}
                result={result}
                onReef={actions.setReef}
                onSurvey={actions.setSurvey}
                onHover={onHover}
              />
            )}
            {address.tab === 'legends' && (
              <LegendsTab offered={offered} reference={offeredReference(region)} meta={data.meta.value} />
            )}
            {address.tab === 'settings' && (
              <SettingsTab
                offered={offered}
                layers={address.layers}
                meta={data.meta.value}
                offeredReference={offeredReference(region)}
                reference={address.reference}
                onReference={actions.setReference}
                onLayers={actions.setLayers}
                takeAlong={
                  props.packs === null ? null : (
                    <TakeAlong
                      packs={props.packs}
                      report={report}
                      data={data}
                      regionId={region.regionId}
                      datasetId={datasetId}
                    />
                  )
                }
              />
            )}
          </Tabs>
        )}
      </div>
    </>
  );
}
