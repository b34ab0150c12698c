import { opHandler } from './take-op';

/** `analysis`: a second copy aboard of an analysis made offline. */
export const analysis = opHandler<'analysis'>('analysis');
