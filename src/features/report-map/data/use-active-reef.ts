import { useMemo } from 'react';
import type { ReportRead, ReportSurvey } from '../../../data/repositories';
import type { RegionId } from '../../../domain/region/region-id';
import type { ReportMapProps, SurveyMarker } from '../../map';
import { markerName } from '../surveys/survey-name';
import { reefAt, type ReportReef } from './report-data';
import { useRead } from './use-read';
import type { ReportData } from './use-report';
import { joinSurveys } from './vessel';

interface Active {
  readonly regionId: RegionId;
  readonly datasetId: string;
  /** Feature id. */
  readonly reef: string | null;
  readonly survey: string | null;
}

interface ActiveReef {
  readonly reef: ReportReef | null;
  /** True for a reef of the address that the region does not have. */
  readonly isUnknown: boolean;
  readonly surveys: ReportRead<readonly ReportSurvey[]>;
  readonly markers: readonly SurveyMarker[];
  readonly flight: ReportMapProps['flight'];
}

/** Active reef with its surveys, and the active survey, as list and map show them (3§2 "Map behaviour"). */
export function useActiveReef(
  { report, table, results, aboard, isOfDataset }: ReportData,
  { regionId, datasetId, reef: featureId, survey: surveyId }: Active,
  maySeeSurveys: boolean,
): ActiveReef {
  const features = table.value;
  const row = useMemo(
    () => (features === null || featureId === null ? -1 : features.ids.indexOf(featureId)),
    [features, featureId],
  );
  const reef = useMemo(
    () => (features === null || row === -1 ? null : reefAt(features, row, datasetId, results, aboard)),
    [features, row, datasetId, results, aboard],
  );
  const known = reef?.featureId ?? null;
  const shore = useRead(
    report,
    (from) => (known === null || !maySeeSurveys ? null : from.surveys({ regionId, featureId: known, datasetId })),
    [regionId, known, datasetId, maySeeSurveys],
  );
  const vessel = useRead(report, (from) => (known === null || !maySeeSurveys ? null : from.vesselSurveys(known)), [
    known,
    maySeeSurveys,
  ]);
  const surveys = useMemo(() => joinSurveys(shore, vessel, isOfDataset), [shore, vessel, isOfDataset]);
  const items = surveys.value;
  const markers = useMemo(
    () =>
      (known === null ? [] : (items ?? [])).flatMap((survey) =>
        survey.position === null ? [] : [{ surveyId: survey.id, ...survey.position, name: markerName(survey) }],
      ),
    [known, items],
  );
  const flight = useMemo(() => {
    const at = markers.find((marker) => marker.surveyId === surveyId);
    return at === undefined ? null : { surveyId: at.surveyId, longitude: at.longitude, latitude: at.latitude };
  }, [markers, surveyId]);
  return { reef, isUnknown: featureId !== null && features !== null && row === -1, surveys, markers, flight };
}
