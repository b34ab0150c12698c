import { expose } from 'comlink';
import { outlineCover } from '../../imaging/label-raster/outline-cover';
import type { LabelCoverWorkerApi } from './label-cover.api';

const api: LabelCoverWorkerApi = {
  cover: ({ outlines, labels, width, height }) =>
    Promise.resolve(Object.fromEntries(outlineCover(outlines, labels, { width, height }).labels)),
};

expose(api);
