import { opHandler } from './op-handler';

/** `analysis`: second copy aboard of an analysis made offline. */
export const analysis = opHandler<'analysis'>('analysis');
