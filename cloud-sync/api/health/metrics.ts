import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { AppendStore } from '../../../src/server/ops/append-store';
import type { BlobStore } from '../../../src/server/blobs/blob-store';

/** Prometheus metrics of the cloud: requests, receipts, stored bytes. None names a person. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Counter<'method' | 'route' | 'status'>;
  readonly receipts: Counter<'kind' | 'accepted'>;
  readonly uploadedBytes: Counter;
  readonly #unsubscribe: () => void;

  constructor(store: AppendStore, blobs: BlobStore) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: 'reef_cloud_' });
    this.requests = new Counter({
      name: 'reef_cloud_http_requests_total',
      help: 'HTTP requests answered',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.receipts = new Counter({
      name: 'reef_cloud_receipts_total',
      help: 'Receipts stored',
      labelNames: ['kind', 'accepted'],
      registers,
    });
    this.uploadedBytes = new Counter({
      name: 'reef_cloud_uploaded_bytes_total',
      help: 'Bytes of photographs made durable',
      registers,
    });
    const free = new Gauge({
      name: 'reef_cloud_disk_free_bytes',
      help: 'Free bytes of the disk',
      registers,
      async collect() {
        free.set((await blobs.disk()).free);
      },
    });
    this.#unsubscribe = store.onCommit((entries) => {
      for (const { receipt } of entries)
        if (receipt !== undefined) this.receipts.inc({ kind: receipt.kind, accepted: String(receipt.accepted) });
    });
  }

  close(): void {
    this.#unsubscribe();
    this.registry.clear();
  }
}
