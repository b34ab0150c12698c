/** In-memory box and cloud for tests of the bridge; time passes only in sleeps. */
import { Bridge } from '../../../cloud-sync/bridge/bridge';
import type { BridgeLimits } from '../../../cloud-sync/bridge/limits';
import type { BridgeState, BridgeStateStore } from '../../../cloud-sync/bridge/state/bridge-state';
import type { BridgeOptions } from '../../../cloud-sync/bridge/pipeline';
import type { Op } from '../../../src/domain/op/op';
import type { BlobRef } from '../../../src/protocol/receipt';
import { imageOp, sha256, surveyOp } from '../../conformance/ops';
import { FakeCloud } from './fake-cloud';
import { FakeEdge } from './fake-edge';
import { TestTime } from '../test-time';

/** State that survives a restart. */
export class MemoryState implements BridgeStateStore {
  text: string | null = null;
  saves = 0;

  async load(): Promise<BridgeState | null> {
    return this.text === null ? null : (JSON.parse(this.text) as BridgeState);
  }

  async save(state: BridgeState): Promise<void> {
    this.saves++;
    this.text = JSON.stringify(state);
  }
}

/** Box, cloud and a bridge between them. */
export class BridgeWorld {
  readonly time = new TestTime();
  readonly edge = new FakeEdge(this.time);
  readonly cloud = new FakeCloud(this.time);
  readonly state = new MemoryState();
  readonly log: string[] = [];
  limits: Partial<BridgeLimits> = {};
  bridge = this.newBridge();
  #ops = 0;

  newBridge(limits: Partial<BridgeLimits> = this.limits, more: Partial<BridgeOptions> = {}): Bridge {
    this.limits = limits;
    this.bridge = new Bridge({
      edge: this.edge,
      cloud: this.cloud,
      state: this.state,
      clock: this.time,
      timers: this.time,
      random: () => 0.5,
      limits,
      log: (_level, message) => this.log.push(message),
      ...more,
    });
    return this.bridge;
  }

  /** Runs one step of the bridge; returns the wait it asked for, ms. */
  step(): Promise<number> {
    return this.time.until(this.bridge.step(new AbortController().signal));
  }

  /** Steps and waits until so much time has passed. */
  async run(ms: number): Promise<void> {
    for (const end = this.time.ms + ms; this.time.ms < end;) this.time.ms += Math.max(1, await this.step());
  }

  saved(): BridgeState {
    return JSON.parse(this.state.text ?? 'null') as BridgeState;
  }

  survey(id?: string): Op {
    return this.edge.add(surveyOp(++this.#ops, id === undefined ? {} : { docId: id }));
  }

  /** Adds a photograph of so many bytes to the box. */
  photograph(
    bytes: number,
    body: { survey?: { id: string; priority?: number } } = {},
    madeAt = '2026-11-20T00:00:01.000Z',
  ): { op: Op; blob: BlobRef } {
    const n = ++this.#ops;
    const content = Buffer.alloc(bytes, n);
    const blob = { sha256: sha256(content), bytes };
    return {
      op: this.edge.add(imageOp(n, `Image${String(n).padStart(11, '0')}`, blob, body, { madeAt }), content),
      blob,
    };
  }
}
