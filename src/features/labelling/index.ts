export { ViewedLabels } from './ViewedLabels';
