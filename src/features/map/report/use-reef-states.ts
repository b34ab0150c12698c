import { useEffect, useMemo } from 'react';
import { reefFills } from './reef-fill';
import type { ReportMapDriver } from './report-map';
import type { ReportMapProps } from './report-map-props';

/** Paints reefs and rubble sites, and marks the hovered and the selected reef. */
export function useReefStates(map: ReportMapDriver | null, props: ReportMapProps): void {
  const { table, paint, layers, hovered, selected, rubble } = props;
  const [results, surveyed] = [layers.has('results'), layers.has('surveyedReefs')];
  const fills = useMemo(
    () => reefFills(table?.ids.length ?? 0, paint, { results, surveyed }),
    [table, paint, results, surveyed],
  );
  useEffect(() => void map?.setFills(fills), [map, fills]);
  useEffect(() => {
    const marks = new Map<number, 1 | 2>();
    if (hovered !== null) marks.set(hovered, 1);
    if (selected !== null) marks.set(selected, 2);
    void map?.setMarks(marks);
  }, [map, hovered, selected]);
  useEffect(() => {
    if (rubble !== null) void map?.setRubble(rubble.probabilities);
  }, [map, rubble]);
}
