import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { AppendStore } from '../../src/server/ops/append-store';
import type { BlobStore } from '../../src/server/blobs/blob-store';

/** The box's metrics for Prometheus. No person is identified. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Counter<'method' | 'route' | 'status'>;
  readonly messages: Counter<'event' | 'outcome'>;
  readonly receipts: Counter<'kind' | 'accepted'>;
  readonly uploadedBytes: Counter<'way'>;
  readonly sockets: Gauge;
  readonly freedPhotographs: Counter<'why'>;
  readonly freedBytes: Counter<'why'>;
  readonly #stop: () => void;

  constructor(store: AppendStore, blobs: BlobStore) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: 'reef_edge_' });
    this.requests = new Counter({
      name: 'reef_edge_http_requests_total',
      help: 'HTTP requests answered',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.messages = new Counter({
      name: 'reef_edge_socket_messages_total',
      help: 'Socket messages answered',
      labelNames: ['event', 'outcome'],
      registers,
    });
    this.receipts = new Counter({
      name: 'reef_edge_receipts_total',
      help: 'Receipts stored',
      labelNames: ['kind', 'accepted'],
      registers,
    });
    this.uploadedBytes = new Counter({
      name: 'reef_edge_uploaded_bytes_total',
      help: 'Bytes of photographs made durable',
      labelNames: ['way'],
      registers,
    });
    this.sockets = new Gauge({ name: 'reef_edge_sockets', help: 'Sockets connected now', registers });
    this.freedPhotographs = new Counter({
      name: 'reef_edge_freed_photographs_total',
      help: 'Photographs freed because the cloud has them',
      labelNames: ['why'],
      registers,
    });
    this.freedBytes = new Counter({
      name: 'reef_edge_freed_bytes_total',
      help: 'Bytes of photographs freed because the cloud has them',
      labelNames: ['why'],
      registers,
    });
    const disk = (name: string, help: string, part: 'free' | 'size') =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set((await blobs.disk())[part]);
        },
      });
    disk('reef_edge_disk_free_bytes', 'Free bytes of the disk', 'free');
    disk('reef_edge_disk_size_bytes', 'All bytes of the disk', 'size');
    this.#stop = store.onCommit((entries) => {
      for (const { receipt } of entries)
        if (receipt !== undefined) this.receipts.inc({ kind: receipt.kind, accepted: String(receipt.accepted) });
    });
  }

  recordFreed({ bytes, why }: { readonly bytes: number; readonly why: 'time' | 'disk' }): void {
    this.freedPhotographs.inc({ why });
    this.freedBytes.inc({ why }, bytes);
  }

  close(): void {
    this.#stop();
    this.registry.clear();
  }
}
