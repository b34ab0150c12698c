import { ReefError } from '../../../domain/errors';
import { isQuota } from './download-pack';

/** Error of a download in words for people. @param noun such as "chart" */
export function packError(error: unknown, noun: 'chart' | 'map'): ReefError {
  if (error instanceof ReefError) return error;
  return isQuota(error)
    ? new ReefError('storage-full', {
        message: `This tablet ran out of space for the ${noun}. Free up space, then try again.`,
        cause: error,
      })
    : new ReefError('internal', { message: `The ${noun} could not be saved on this tablet.`, cause: error });
}
