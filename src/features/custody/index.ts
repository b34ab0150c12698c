export { startSendingEffects } from './companion';
