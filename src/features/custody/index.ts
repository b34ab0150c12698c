export { missingText, placeText } from './custody-text';
export { startSendingEffects } from './start-sending-effects';
