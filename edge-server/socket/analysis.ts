import { opHandler } from './op-handler';

/** `analysis`: a second copy aboard of an analysis made offline. */
export const analysis = opHandler<'analysis'>('analysis');
