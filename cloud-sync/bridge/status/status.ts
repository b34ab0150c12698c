import { formatCount, pluralize } from '../../../src/base/plural';
import type { BridgeReport, FleetReport } from '../../../src/protocol/cloud-http';
import type { EdgeFacts, NodeFacts } from '../link/node-apis';
import { forecastMs } from './forecast';
import type { BridgeContext } from '../bridge-context';
import type { ActiveTransfer, PhotographUploader } from '../upload/photograph-uploader';
import type { BridgeBlocker } from '../node-error';

interface SurveyOwed {
  readonly surveyId: string | null;
  readonly images: number;
  readonly bytes: number;
}

export interface BridgeStatus {
  readonly state: BridgeReport['state'];
  readonly text: string;
  readonly box: string;
  readonly owed: BridgeReport['owed'];
  readonly surveys: readonly SurveyOwed[];
  readonly moving: readonly ActiveTransfer[];
  /** Photographs and bytes that this process uploaded. */
  readonly sent: { readonly images: number; readonly bytes: number };
  /** Bytes a second; null before the first measurement. */
  readonly rate: number | null;
  readonly sentToday: number;
  readonly dailyLimit: number | null;
  /** Ms from now; null if unknown. */
  readonly leftMs: number | null;
  /** Records that one side refused, with its message; oldest first, a few at most. */
  readonly held: readonly { readonly opId: string; readonly code: string; readonly message: string }[];
  readonly heldCount: number;
}

interface StatusFacts {
  readonly blocker: BridgeBlocker | null;
  readonly isWorking: boolean;
  readonly facts: EdgeFacts | null;
  /** True if all documents were offered, so that the tracker lists every owed photograph. */
  readonly allOffered: boolean;
}

const HELD_SHOWN = 5;

export function statusOf(
  parts: BridgeContext,
  photographs: PhotographUploader,
  { blocker, isWorking, facts, allOffered }: StatusFacts,
): BridgeStatus {
  const { tracker, budget, rate } = parts;
  const own = photographs.owedBytes();
  const owed = {
    ops: Math.max(tracker.open.size, facts?.owed.ops ?? 0),
    images: own.images,
    bytes: allOffered ? own.bytes : Math.max(own.bytes, facts?.owed.bytes ?? 0),
  };
  const surveys = new Map<string | null, { surveyId: string | null; images: number; bytes: number }>();
  for (const { blob } of photographs.owed()) {
    const survey = surveys.get(blob.surveyId) ?? { surveyId: blob.surveyId, images: 0, bytes: 0 };
    survey.images++;
    survey.bytes += blob.bytes;
    surveys.set(blob.surveyId, survey);
  }
  const held = [...tracker.open.values()].filter(({ error }) => error !== null).sort((a, b) => a.seq - b.seq);
  const measured = rate.bytesPerSecond();
  const { daily } = budget;
  return {
    state: blocker?.state ?? (isWorking ? 'sending' : 'idle'),
    text: blocker?.text ?? statusText(isWorking, owed, held.length),
    box: facts?.name ?? '',
    owed,
    surveys: [...surveys.values()],
    moving: photographs.moving,
    sent: photographs.sent,
    rate: measured,
    sentToday: budget.used,
    dailyLimit: daily,
    leftMs: forecastMs({
      bytes: owed.bytes,
      rate: measured,
      budget: daily === null ? null : { left: budget.remainingBytes(), dayLeftMs: budget.msUntilNextDay(), daily },
    }),
    held: held
      .slice(0, HELD_SHOWN)
      .map(({ opId, error }) => ({ opId, code: error?.code ?? '', message: error?.message ?? '' })),
    heldCount: held.length,
  };
}

function statusText(working: boolean, owed: BridgeReport['owed'], held: number): string {
  if (working && owed.images > 0) return `Photographs are on their way: ${owed.images.toLocaleString('en')} to go.`;
  if (working) return 'Records are on their way.';
  if (held > 0)
    return `${formatCount(held, 'record waits', 'records wait')}: the cloud did not take ${pluralize(held, 'it', 'them')} yet. All else is ashore.`;
  return 'Everything aboard is ashore.';
}

export function reportOf(parts: BridgeContext, status: BridgeStatus, clockDriftMs: number | null): BridgeReport {
  const { tracker, clock } = parts;
  const now = clock.now();
  const done = status.leftMs === null ? null : now + status.leftMs;
  return {
    at: toIsoString(now),
    state: status.state,
    words: status.text.slice(0, 400),
    owed: { ops: status.owed.ops, images: status.owed.images, bytes: Math.round(status.owed.bytes) },
    sentToday: Math.round(status.sentToday),
    dailyLimit: status.dailyLimit,
    doneAt: done === null || done > 8.64e15 ? null : toIsoString(done),
    clockDriftMs,
    verified:
      tracker.verified === null
        ? null
        : { at: tracker.verified.at, asked: tracker.verified.asked, missing: tracker.verified.missing },
    held: status.heldCount,
    rate: status.rate === null ? null : Math.round(status.rate),
  };
}

export function fleetReportOf(
  { tracker }: BridgeContext,
  photographs: PhotographUploader,
  {
    box,
    facts,
    owed,
    driftMs,
    paused,
  }: {
    readonly box: NodeFacts;
    readonly facts: EdgeFacts;
    readonly owed: BridgeStatus['owed'];
    readonly driftMs: number | null;
    readonly paused: string | null;
  },
): FleetReport {
  return {
    node: box.node,
    name: facts.name,
    storeEpoch: box.storeEpoch,
    version: facts.version,
    owed: { ops: tracker.open.size, images: photographs.owedBytes().images, bytes: owed.bytes },
    oldestUnsentAt: [...tracker.open.values()].map(({ madeAt }) => madeAt).sort()[0] ?? null,
    disk: facts.disk,
    clockDriftMs: driftMs === null ? null : -driftMs,
    paused: paused?.slice(0, 400) ?? null,
  };
}

/** Clamps a wall-clock time, which may be any number, to a valid date. */
function toIsoString(ms: number): string {
  return new Date(Number.isFinite(ms) ? Math.max(-8.64e15, Math.min(8.64e15, ms)) : 0).toISOString();
}
