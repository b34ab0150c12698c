export { startSendingEffects } from './start-sending-effects';
