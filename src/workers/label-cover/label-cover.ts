import { WorkerBridge } from '../bridge/worker-bridge';
import type { CoverTask, LabelCoverWorkerApi } from './label-cover.api';

const bridge = new WorkerBridge<LabelCoverWorkerApi>(
  () => new Worker(new URL('./label-cover.worker.ts', import.meta.url), { type: 'module', name: 'label-cover' }),
);

/** Fraction of the picture that each label covers, by label id, counted in a worker; smaller outlines lie on top. */
export const countCover = (task: CoverTask): Promise<Readonly<Record<string, number>>> =>
  bridge.run((api) => api.cover(task));

/** Loads the worker's code ahead: a later count needs no server. A failure is reported by the count itself. */
export function prepareCover(): void {
  countCover({ outlines: [], labels: new Map(), width: 1, height: 1 }).catch((error: unknown) =>
    console.warn('The counting of cover could not be loaded ahead:', error),
  );
}
