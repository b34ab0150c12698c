import { formatBytes } from '../../base/format-bytes';
import { formatCount, pluralize } from '../../base/plural';
import type { EdgeGps, EdgeLink, EdgeMeta, EdgeSender, EdgeSession, EdgeSurvey } from '../../data/repositories';
import { formatAge, formatBearing, formatPosition } from '../../domain/position/format-position';
import { VESSEL_LIMITS } from '../../domain/limits/vessel';
import { formatTimeLeft } from '../sync-status';

/** Photographs and surveys without a cloud receipt; `records` of all kinds; `bytes` null if not reported. */
interface OwedToShore {
  readonly photographs: number;
  readonly surveys: number;
  readonly records: number;
  readonly bytes: number | null;
}

export function owedToShore(meta: EdgeMeta | undefined, surveys: readonly EdgeSurvey[]): OwedToShore {
  const behind = surveys.filter(({ images }) => images.here > images.ashore);
  return {
    photographs: behind.reduce((sum, { images }) => sum + images.here - images.ashore, 0),
    surveys: behind.length,
    records: meta?.owed ?? 0,
    bytes: meta?.owedBytes ?? null,
  };
}

export function boxTitle(link: EdgeLink): string {
  switch (link.status) {
    case 'unpaired':
      return 'No box yet';
    case 'connected':
      return `${link.edge.name} is working`;
    case 'connecting':
      return `Looking for ${link.edge.name}`;
    case 'refused':
      return `${link.edge.name} refused this tablet`;
    case 'offline':
      return `${link.edge.name} is not in reach`;
  }
}

const NUMBER_NAMES = [
  'No',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
] as const;

export function boxSubtitle(meta: EdgeMeta, surveys: readonly EdgeSurvey[], senders: readonly EdgeSender[]): string {
  const sending = senders.filter(isSending).length;
  const sendingText = `${NUMBER_NAMES[sending] ?? sending} ${pluralize(sending, 'tablet is', 'tablets are')} sending.`;
  const owed = owedToShore(meta, surveys);
  const owedText =
    owed.photographs > 0
      ? formatCount(owed.photographs, 'photograph')
      : owed.records > 0
        ? formatCount(owed.records, 'record')
        : null;
  return `${sendingText} It has ${formatCount(meta.totals.surveys, 'survey')}, and ${owedText ?? 'nothing'} to send to the shore.`;
}

/** Time of an answer after "as of": `19:05`, `12 s ago`. */
export function formatAsOf(at: number, now: number): string {
  return formatSince(at, now).replace(/^(?:at|on) /, '');
}

/** Without a count, sending means that photographs arrive. */
export function isSending({ connected, rate, owed }: EdgeSender): boolean {
  return connected && (owed === null ? rate !== null : owed.photographs > 0);
}

/** `12 s ago`, then the time of day, then the day. Ms since the epoch. */
export function formatSince(at: number, now: number): string {
  const age = now - at;
  if (age < 90_000) return `${formatAge(age)} ago`;
  const then = new Date(at);
  const time = then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (then.toDateString() === new Date(now).toDateString()) return `at ${time}`;
  return `on ${then.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })} at ${time}`;
}

/** Bytes. */
interface DiskFacts {
  /** Fraction 0..1. */
  readonly used: number;
  readonly days: number | null;
  /** Last quarter, or three days left. */
  readonly isLow: boolean;
  /** `342 GB of 480 GB used. At 14.2 GB a day.` */
  readonly text: string;
}

/** @param disk with `daysUntilFull` once known */
export function diskFacts({ free, size, daysUntilFull }: EdgeMeta['disk']): DiskFacts {
  const used = size > 0 ? Math.min(1, Math.max(0, (size - free) / size)) : 0;
  const days = daysUntilFull ?? null;
  const rate = days !== null && days > 0 ? ` At ${formatBytes(free / days)} a day.` : '';
  return {
    used,
    days,
    isLow: used >= VESSEL_LIMITS.diskWarnAt || (days !== null && days <= VESSEL_LIMITS.diskWarnDays),
    text: `${formatBytes(size - free)} of ${formatBytes(size)} used.${rate}`,
  };
}

/** `9` and `days`; a disk that fills in years is capped. */
export function formatDays(days: number): { readonly figure: string; readonly unit: string } {
  if (days >= VESSEL_LIMITS.diskDaysShown) return { figure: `${VESSEL_LIMITS.diskDaysShown}+`, unit: 'days' };
  const whole = Math.floor(days);
  if (whole < 1) return { figure: '<1', unit: 'day' };
  return { figure: String(whole), unit: pluralize(whole, 'day') };
}

interface FixText {
  readonly position: string;
  /** `fix 6 s old, GPS aboard, 11 satellites`. */
  readonly fix: string;
  /** `heading 034°, 6.2 knots`; empty if the receiver reports neither. */
  readonly course: string;
  readonly stale: boolean;
}

/** @param age of the fix now, ms */
export function fixText(gps: EdgeGps, age: number): FixText | null {
  const position = formatPosition(gps.lat, gps.lng);
  if (position === null) return null;
  const satellites = gps.satellites === undefined ? '' : `, ${formatCount(gps.satellites, 'satellite')}`;
  const heading = gps.heading === undefined ? null : formatBearing(gps.heading);
  const course = [
    heading === null ? '' : `heading ${heading}`,
    gps.speed === undefined ? '' : `${gps.speed.toFixed(1)} knots`,
  ]
    .filter((part) => part !== '')
    .join(', ');
  const stale = age > VESSEL_LIMITS.fixStaleMs;
  return {
    position,
    fix: `${stale ? 'last fix' : 'fix'} ${formatAge(age)} old, GPS aboard${satellites}`,
    course,
    stale,
  };
}

interface SenderText {
  readonly title: string;
  readonly detail: string;
  /** Number of photographs left; text if it reported none. */
  readonly remaining: string;
  readonly rate: string;
}

/** @param now ms since the epoch, by the box's clock */
export function senderText(
  { name, person, connected, seenAt, survey, owed, rate }: EdgeSender,
  now: number,
): SenderText {
  const lastSeenText = `not seen since ${formatSince(Date.parse(seenAt), now).replace(/^at |^on /, '')}`;
  const left = owed === null ? 0 : owed.photographs;
  const isOwing = owed !== null && owed.photographs + owed.records > 0;
  const speed = connected && rate !== null && rate > 0 && (owed === null || left > 0);
  return {
    title: person === null ? name : `${name}, ${person}`,
    detail: connected ? (survey?.name ?? (isOwing ? 'about to send' : 'nothing to send')) : lastSeenText,
    remaining:
      owed === null
        ? 'unknown'
        : left === 0
          ? owed.records === 0
            ? 'all here'
            : formatCount(owed.records, 'record')
          : left.toLocaleString('en'),
    rate: speed
      ? `${formatBytes(rate)} a second${owed !== null && owed.bytes > 0 ? `, ${formatTimeLeft((owed.bytes / rate) * 1000)}` : ''}`
      : connected
        ? isOwing
          ? 'waiting'
          : 'up to date with the box'
        : 'counted when last seen',
  };
}

const ENDED_TEXTS: Readonly<Record<string, string>> = {
  unpaired: 'Unpaired aboard: it only sends',
  unused: 'Unused for 60 days: it only sends',
  revoked: 'Revoked ashore: it only sends',
};

/** Row of a tablet's access to the box. @param now by the box's clock, ms since the epoch */
export function accessText(
  { tablet, person, usedAt, ended, current }: EdgeSession,
  now: number,
): { readonly title: string; readonly detail: string } {
  const used =
    ended === null
      ? `Used ${formatSince(Date.parse(usedAt), now)}`
      : (ENDED_TEXTS[ended] ?? 'Ended aboard: it only sends');
  return {
    title: `${tablet === '' ? 'Tablet without a name' : tablet}${current ? ' (this tablet)' : ''}`,
    detail: `${person ?? 'No one signed in'}. ${used}.`,
  };
}
