import type { QrCodeReader, QrCodeWorkerApi } from './qr-code.api';
import { WorkerBridge } from '../bridge/worker-bridge';

export function qrCodeReader(): QrCodeReader {
  const bridge = new WorkerBridge<QrCodeWorkerApi>(
    () => new Worker(new URL('./qr-code.worker.ts', import.meta.url), { type: 'module', name: 'qr-code' }),
  );
  return { read: (picture, signal) => bridge.run((api) => api.read(picture), signal), stop: () => bridge.stop() };
}
