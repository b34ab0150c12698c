import { expose } from 'comlink';
import decodeQR from 'qr/decode.js';
import type { QrCodeWorkerApi } from './qr-code.api';

const api: QrCodeWorkerApi = {
  read: async (picture) => {
    try {
      return decodeQR({ width: picture.width, height: picture.height, data: picture.data });
    } catch {
      // The decoder throws if it finds nothing: most camera frames hold no code.
      return null;
    }
  },
};

expose(api);
