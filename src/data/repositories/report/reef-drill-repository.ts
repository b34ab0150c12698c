import type { ReportCache } from '../../cache/report-cache';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey } from '../repository-context';
import type { ReefDrillRepository } from './drill-types';
import { liveRead } from './live-read';
import { parseAnswer, parseConsensus, parseSharePhotograph } from './parse-drill';
import { parseItems, queryCloud } from './report-answers';

/** Opens the way from figures to answers. @param userKey key of an answer for the current user alone */
export function openReefDrill(
  parts: RepositoryContext,
  cache: ReportCache,
  userKey: (query: string) => string,
): ReefDrillRepository {
  const photographs = memoizeByKey((key: string) => {
    const [featureId = '', datasetId = '', share = ''] = key.split('\n');
    return liveRead(parts, cache, {
      key: () => userKey(`share ${featureId}/${datasetId}/${share}`),
      ask: () => queryCloud(parts, 'share-photographs', { featureId, datasetId, class: share }),
      decode: (text) => parseItems(text, parseSharePhotograph),
      onError: [],
    });
  });
  const answers = memoizeByKey((key: string) => {
    const [imageId = '', answerId = ''] = key.split('\n');
    return liveRead(parts, cache, {
      key: () => userKey(`answer ${imageId}/${answerId}`),
      ask: () => queryCloud(parts, 'image-answer', { imageId, answerId }),
      decode: (text) => parseItems(text, parseAnswer).filter((item) => item.answerId === answerId),
      onError: [],
    });
  });
  return {
    answer: ({ imageId, answerId }) => answers(`${imageId}\n${answerId}`),
    sharePhotographs: ({ featureId, datasetId, share }) => photographs(`${featureId}\n${datasetId}\n${share}`),
    consensus: memoizeByKey((imageId: string) =>
      liveRead(parts, cache, {
        key: () => userKey(`consensus ${imageId}`),
        ask: () => queryCloud(parts, 'image-consensus', { imageId }),
        decode: (text) => parseItems(text, parseConsensus).filter((item) => item.imageId === imageId),
        onError: [],
      }),
    ),
  };
}
