import { ReefError } from '../../../domain/errors';
import { isQuota } from './download-pack';

/** Error of a download in words for people. @param noun such as "chart" */
export function packError(error: unknown, noun: 'chart' | 'map'): ReefError {
  if (error instanceof ReefError) return error;
  return isQuota(error)
    ? new ReefError('storage-full', {
        message: `This tablet does not have enough space for the ${noun}.`,
        cause: error,
      })
    : new ReefError('internal', { message: `The ${noun} could not be saved on this tablet.`, cause: error });
}
