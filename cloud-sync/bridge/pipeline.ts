import type { CloudApi, EdgeApi, ErrorReportApi, MapApi, OutlineApi, PreviewApi, UsageApi } from './link/node-apis';
import { SyncTracker } from './state/sync-tracker';
import { DayBudget, RateCap } from './state/budget';
import { OpUploader } from './upload/op-uploader';
import { ErrorReportSender } from './upload/error-report-sender';
import { UsageSender } from './upload/usage-sender';
import { DocumentUploader } from './upload/document-uploader';
import { LinkRate } from './status/forecast';
import { Downlink } from './downlink/downlink';
import { MapDownloader } from './downlink/maps';
import { OutlineDownloader } from './downlink/outlines';
import type { BridgeLimits } from './limits';
import type { BridgeLog, BridgeContext } from './bridge-context';
import { PhotographUploader } from './upload/photograph-uploader';
import { PreviewUploader } from './upload/preview-uploader';
import type { BridgeClock, BridgeTimers } from './runtime';
import type { BridgeStateStore } from './state/bridge-state';
import { newBridgeState } from './state/bridge-state';
import type { BridgeStatus } from './status/status';
import { StatusReporter } from './status/status-reporter';

/** Dependencies of a bridge; the simulator and the tests pass their own. */
export interface BridgeOptions {
  readonly edge: EdgeApi;
  readonly cloud: CloudApi;
  /** Omitted: no previews. */
  readonly previews?: PreviewApi;
  /** Omitted: no error reports. */
  readonly errorReports?: ErrorReportApi;
  /** Omitted: no events of use. */
  readonly usage?: UsageApi;
  /** Omitted: no outlines. */
  readonly outlines?: OutlineApi;
  /** Omitted: no map. */
  readonly maps?: MapApi;
  readonly state: BridgeStateStore;
  readonly clock: BridgeClock;
  readonly timers: BridgeTimers;
  /** Random fraction, 0 ≤ f < 1. */
  readonly random: () => number;
  readonly limits?: Partial<BridgeLimits>;
  readonly log?: BridgeLog;
  readonly onStatus?: (status: BridgeStatus) => void;
}

export interface BridgePipeline {
  readonly context: BridgeContext;
  readonly tracker: SyncTracker;
  readonly opUploader: OpUploader;
  readonly documents: DocumentUploader;
  readonly photographs: PhotographUploader;
  readonly previews: PreviewUploader | null;
  readonly errorReports: ErrorReportSender | null;
  readonly usage: UsageSender | null;
  readonly outlines: OutlineDownloader | null;
  readonly maps: MapDownloader | null;
  readonly downlink: Downlink;
  readonly reporter: StatusReporter;
}

interface PipelineHooks {
  readonly log: BridgeLog;
  /** The box's node id, once identified. */
  readonly node: () => string;
  readonly onProgress: () => void;
}

export async function openPipeline(
  { edge, cloud, previews, errorReports, usage, outlines, maps, clock, timers, random, state }: BridgeOptions,
  limits: BridgeLimits,
  { log, node, onProgress }: PipelineHooks,
): Promise<BridgePipeline> {
  const kept = (await state.load()) ?? newBridgeState();
  const budget = new DayBudget(clock, limits.dailyBytes, kept.day);
  const book = new SyncTracker(state, clock, kept, budget);
  const parts: BridgeContext = {
    edge,
    cloud,
    clock,
    timers,
    random,
    limits,
    tracker: book,
    budget,
    cap: new RateCap(clock, timers, limits.bytesPerSecond),
    rate: new LinkRate(),
    log,
    node,
  };
  const courier = new OpUploader(parts);
  const documents = new DocumentUploader(parts, courier);
  const photographs = new PhotographUploader(parts, courier, documents);
  photographs.onProgress = onProgress;
  return {
    context: parts,
    tracker: book,
    opUploader: courier,
    documents,
    photographs,
    downlink: new Downlink(parts),
    reporter: new StatusReporter(parts),
    previews: previews === undefined ? null : new PreviewUploader(parts, previews),
    errorReports: errorReports === undefined ? null : new ErrorReportSender(parts, errorReports),
    usage: usage === undefined ? null : new UsageSender(parts, usage),
    outlines: outlines === undefined ? null : new OutlineDownloader(parts, outlines),
    maps: maps === undefined ? null : new MapDownloader(parts, maps),
  };
}
