export { Chart } from './Chart';
export type { ChartPoint, ChartReef, ChartVessel } from './chart-map';
