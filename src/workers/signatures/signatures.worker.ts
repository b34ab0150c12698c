import { expose } from 'comlink';
import type { SignaturesWorkerApi } from './signatures.api';
import { verifySignature } from './verify-signature';

const api: SignaturesWorkerApi = {
  verifyAll: ({ keys, sigs, texts }) =>
    Promise.all(texts.map((text, i) => verifySignature({ x: keys[i] ?? '' }, sigs[i] ?? '', text))),
};

expose(api);
