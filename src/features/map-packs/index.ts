export { MapPackDialog } from './MapPackDialog';
