export { Chart } from './Chart';
export type { ChartPoint, ChartReef } from './chart-map';
