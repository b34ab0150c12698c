import type { BridgeReport, FleetReport } from '../../src/protocol/cloud-http';
import type { EdgeFacts, NodeFacts } from './apis';
import { forecastMs } from './forecast';
import type { Parts } from './parts';
import type { Moving, Photographs } from './photographs';
import type { Obstacle } from './trouble';

/** What a survey still owes. */
export interface SurveyOwed {
  readonly surveyId: string | null;
  readonly images: number;
  readonly bytes: number;
}

/** What a bridge does at the moment, for a display. */
export interface BridgeStatus {
  readonly state: BridgeReport['state'];
  readonly words: string;
  readonly box: string;
  readonly owed: BridgeReport['owed'];
  readonly surveys: readonly SurveyOwed[];
  readonly moving: readonly Moving[];
  /** Photographs and bytes of them that this process brought ashore. */
  readonly sent: { readonly images: number; readonly bytes: number };
  /** Bytes a second; null before anything was measured. */
  readonly rate: number | null;
  readonly sentToday: number;
  readonly dailyLimit: number | null;
  /** Ms from now; null where nobody can say. */
  readonly leftMs: number | null;
  /** Records that one side refused, with its words; the oldest first, at most a few. */
  readonly held: readonly { readonly opId: string; readonly code: string; readonly message: string }[];
  readonly heldCount: number;
}

/** What the status is made of besides the parts. */
export interface StatusFacts {
  readonly obstacle: Obstacle | null;
  readonly working: boolean;
  readonly facts: EdgeFacts | null;
  /** Whether all documents were offered, so that the book knows every photograph that is owed. */
  readonly complete: boolean;
}

const HELD_SHOWN = 5;

/** Computes what a bridge shows of itself. */
export function statusOf(
  parts: Parts,
  photographs: Photographs,
  { obstacle, working, facts, complete }: StatusFacts,
): BridgeStatus {
  const { book, budget, rate } = parts;
  const own = photographs.owedBytes();
  const owed = {
    ops: Math.max(book.open.size, facts?.owed.ops ?? 0),
    images: own.images,
    bytes: complete ? own.bytes : Math.max(own.bytes, facts?.owed.bytes ?? 0),
  };
  const surveys = new Map<string | null, { surveyId: string | null; images: number; bytes: number }>();
  for (const { blob } of photographs.owed()) {
    const survey = surveys.get(blob.surveyId) ?? { surveyId: blob.surveyId, images: 0, bytes: 0 };
    survey.images++;
    survey.bytes += blob.bytes;
    surveys.set(blob.surveyId, survey);
  }
  const held = [...book.open.values()].filter(({ error }) => error !== null).sort((a, b) => a.seq - b.seq);
  const measured = rate.bytesPerSecond();
  const { daily } = budget;
  return {
    state: obstacle?.state ?? (working ? 'sending' : 'idle'),
    words: obstacle?.words ?? wordsOf(working, owed, held.length),
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
      budget: daily === null ? null : { left: budget.left(), dayLeftMs: budget.dayLeftMs(), daily },
    }),
    held: held
      .slice(0, HELD_SHOWN)
      .map(({ opId, error }) => ({ opId, code: error?.code ?? '', message: error?.message ?? '' })),
    heldCount: held.length,
  };
}

function wordsOf(working: boolean, owed: BridgeReport['owed'], held: number): string {
  if (working && owed.images > 0) return `Photographs are on their way: ${owed.images.toLocaleString('en')} to go.`;
  if (working) return 'Records are on their way.';
  if (held > 0)
    return `${held.toLocaleString('en')} ${held === 1 ? 'record waits' : 'records wait'}: the cloud did not take ${held === 1 ? 'it' : 'them'} yet. All else is ashore.`;
  return 'Everything aboard is ashore.';
}

/** The report as box and fleet get it. */
export function reportOf(parts: Parts, status: BridgeStatus, clockDriftMs: number | null): BridgeReport {
  const { book, clock } = parts;
  const now = clock.now();
  const done = status.leftMs === null ? null : now + status.leftMs;
  return {
    at: isoOf(now),
    state: status.state,
    words: status.words.slice(0, 400),
    owed: { ops: status.owed.ops, images: status.owed.images, bytes: Math.round(status.owed.bytes) },
    sentToday: Math.round(status.sentToday),
    dailyLimit: status.dailyLimit,
    doneAt: done === null || done > 8.64e15 ? null : isoOf(done),
    clockDriftMs,
    verified:
      book.verified === null
        ? null
        : { at: book.verified.at, asked: book.verified.asked, missing: book.verified.missing },
    held: status.heldCount,
    rate: status.rate === null ? null : Math.round(status.rate),
  };
}

/** What the fleet ashore hears of a box. */
export function fleetReportOf(
  { book }: Parts,
  photographs: Photographs,
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
    owed: { ops: book.open.size, images: photographs.owedBytes().images, bytes: owed.bytes },
    oldestUnsentAt: [...book.open.values()].map(({ madeAt }) => madeAt).sort()[0] ?? null,
    disk: facts.disk,
    clockDriftMs: driftMs === null ? null : -driftMs,
    paused: paused?.slice(0, 400) ?? null,
  };
}

/** A clock on the wall may say anything. */
function isoOf(ms: number): string {
  return new Date(Number.isFinite(ms) ? Math.max(-8.64e15, Math.min(8.64e15, ms)) : 0).toISOString();
}
