export { startCompanion } from './companion';
