import { LIMITS } from '../../src/domain/limits';
import { REVOCATIONS } from '../../src/protocol/revocations';

/** Limits of a bridge; times in ms, sizes in bytes. Tests set their own. */
export interface BridgeLimits {
  /** Payload a second; null: no cap. */
  readonly bytesPerSecond: number | null;
  /** Payload of 24 hours, both ways; null: no limit. */
  readonly dailyBytes: number | null;
  /** Photographs in transfer at the same time. */
  readonly concurrentPhotographs: number;
  /** Target duration of a piece; a lost connection costs one piece at most. */
  readonly pieceMs: number;
  readonly pieceBytesMin: number;
  readonly pieceBytesMax: number;
  /** Duration from which a photograph gets a preview sent ahead. */
  readonly previewFromMs: number;
  /** Previews sent before the link was measured. */
  readonly previewsBeforeMeasurement: number;
  readonly batchOps: number;
  readonly pageEntries: number;
  /** Interval of asking the box while idle. */
  readonly edgePollMs: number;
  /** Interval of asking the cloud while idle: each costs about two kilobytes of an expensive link. */
  readonly cloudPollMs: number;
  /** Interval at which records go ahead of photographs in transfer. */
  readonly tickMs: number;
  /** Interval of asking for receipts during transfers. */
  readonly settleMs: number;
  /** Interval of checking keys and reference data. */
  readonly referenceMs: number;
  /** First and last wait for outlines that the cloud does not have: it makes them in minutes, or never. */
  readonly outlinesMs: number;
  readonly outlinesMaxMs: number;
  /** Interval of asking for a new map. */
  readonly mapsMs: number;
  /** Interval of the fleet report while nothing changes. */
  readonly fleetMs: number;
  /** First and last wait after a failed link. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** Wait after a refusal that only a person can resolve. */
  readonly refusedMs: number;
  /** First and last wait of a single refused record. */
  readonly itemRetryMs: number;
  readonly itemRetryMaxMs: number;
  /** Time allowed for a response, besides the time its bytes need. */
  readonly responseTimeoutMs: number;
  /** Names of the reference data synced to the box besides the keys. */
  readonly references: readonly string[];
}

/** Length of a budget day, ms. */
export const BUDGET_DAY_MS = 24 * 60 * 60 * 1000;

/** Approximate overhead of a request and its response besides the bodies: two heads. */
export const REQUEST_BYTES = 700;

export const BRIDGE_LIMITS: BridgeLimits = {
  bytesPerSecond: null,
  dailyBytes: null,
  concurrentPhotographs: LIMITS.imagesAtATime,
  pieceMs: 20_000,
  pieceBytesMin: LIMITS.chunkBytesMin,
  pieceBytesMax: LIMITS.imageBytesMax,
  previewFromMs: 10_000,
  previewsBeforeMeasurement: 4,
  batchOps: LIMITS.changesMax,
  pageEntries: LIMITS.changesMax,
  edgePollMs: 2000,
  cloudPollMs: 60_000,
  tickMs: 5000,
  settleMs: 1000,
  referenceMs: 60 * 60_000,
  outlinesMs: 5 * 60_000,
  outlinesMaxMs: 24 * 60 * 60_000,
  mapsMs: 60 * 60_000,
  fleetMs: 15 * 60_000,
  retryMs: 2000,
  retryMaxMs: 60_000,
  refusedMs: 5 * 60_000,
  itemRetryMs: 30_000,
  itemRetryMaxMs: 60 * 60_000,
  responseTimeoutMs: LIMITS.receiptTimeoutMs,
  references: [
    REVOCATIONS,
    'cloud-seal-key',
    'regions',
    'events',
    'organisations',
    'datasets',
    'news',
    'survey-priorities',
  ],
};
