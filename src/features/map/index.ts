export { Chart } from './Chart';
export type { ChartPoint, ChartReef } from './chart-map';
export { FirstPicture } from './first-picture/FirstPicture';
export { useFirstPicture } from './first-picture/use-first-picture';
export { ReportMap } from './report/ReportMap';
export { PRIORITY_COLOURS, reportColours, ZONE_COLOURS, type ReportColours } from './report/report-colours';
export type {
  MapInsets,
  MapView,
  ReefPaint,
  ReportLayer,
  ReportMapProps,
  RubbleTable,
  SurveyMarker,
} from './report/report-map-props';
