import { LIMITS } from '../../src/domain/limits';
import { REVOCATIONS } from '../../src/protocol/revocations';

/** What bounds a bridge; times in ms, sizes in bytes. Tests set their own. */
export interface BridgeLimits {
  /** Payload a second; null: whatever the link carries. */
  readonly bytesPerSecond: number | null;
  /** Payload of 24 hours, both ways; null: no limit. */
  readonly dailyBytes: number | null;
  /** Photographs on their way at the same time. */
  readonly concurrentPhotographs: number;
  /** One piece of a photograph is sized so that it lands within this; what a cut costs is at most one piece. */
  readonly pieceMs: number;
  readonly pieceBytesMin: number;
  readonly pieceBytesMax: number;
  /** A photograph that takes longer than this has a small picture sent ahead of it. */
  readonly previewFromMs: number;
  /** Small pictures that go ahead while nothing was measured yet. */
  readonly previewsBeforeMeasurement: number;
  /** Most operations of one request. */
  readonly batchOps: number;
  /** Entries of a page of a feed. */
  readonly pageEntries: number;
  /** How often the box is asked for new records while nothing moves. */
  readonly edgePollMs: number;
  /** How often the cloud is asked for news while nothing moves: each time costs about two kilobytes of a dear link. */
  readonly cloudPollMs: number;
  /** How often records go ahead of the photographs that are being sent. */
  readonly tickMs: number;
  /** How often the receipts of photographs that have arrived are asked for while others are on their way. */
  readonly settleMs: number;
  /** How often keys and reference data are looked at. */
  readonly referenceMs: number;
  /** How often the fleet hears of this box while nothing changes. */
  readonly fleetMs: number;
  /** First and last wait after a link that failed. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** The wait after a refusal that only a person can mend. */
  readonly refusedMs: number;
  /** First and last wait for a single record that was refused. */
  readonly itemRetryMs: number;
  readonly itemRetryMaxMs: number;
  /** Time allowed for an answer beside what its bytes need. */
  readonly responseTimeoutMs: number;
  /** Names of the reference data that goes aboard besides the keys. */
  readonly references: readonly string[];
}

/** A day of the budget, ms. */
export const BUDGET_DAY_MS = 24 * 60 * 60 * 1000;

/** What a request costs besides its body, with its answer: two heads, roughly. */
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
    'features',
    'news',
    'survey-priorities',
  ],
};
