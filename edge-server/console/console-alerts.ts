import { formatBytes } from '../../src/base/format-bytes';
import { formatCount, pluralize } from '../../src/base/plural';
import { formatAge } from '../../src/domain/position/format-position';
import type { Html } from '../../src/server/pages/html';
import { html } from '../../src/server/pages/html';
import { note } from '../../src/server/pages/page-parts';
import type { EdgeContext } from '../context';
import type { ShoreState } from '../reads/shore-statistics';
import { bridgeReport } from '../bridge/bridge-routes';
import { csrfToken } from './console-forms';

/** Age from which a report of the bridge is stale, ms. */
export const REPORT_STALE_MS = 15 * 60_000;
/** Clock drift from which the console warns, ms. */
const CLOCK_DRIFT_MAX_MS = 5 * 60_000;
/** Days until the disk is full from which the console warns. */
const DISK_WARNING_DAYS = 3;

/** Drift of the box's clock against a better one: positive if the other is ahead, ms. */
interface ClockDrift {
  readonly reference: 'GPS' | 'the cloud';
  readonly ms: number;
}

/** Drifts against the clocks that the box knows, the better one first. */
export function clockDrifts(context: EdgeContext): readonly ClockDrift[] {
  const gps = context.queries.gps();
  const report = bridgeReport(context);
  return [
    ...(gps !== null && gps.source !== 'track'
      ? [{ reference: 'GPS' as const, ms: Date.parse(gps.time) + gps.age - context.clock() }]
      : []),
    ...(report !== null && report.clockDriftMs !== null
      ? [{ reference: 'the cloud' as const, ms: report.clockDriftMs }]
      : []),
  ];
}

/** Formats a drift: `2 h behind the cloud`. */
export function formatDrift({ reference, ms }: ClockDrift): string {
  return `${formatAge(Math.abs(ms))} ${ms > 0 ? 'behind' : 'ahead of'} ${reference}`;
}

/** Alert with a button if photographs broke the process that made their pictures. */
export function brokenPicturesAlert(context: EdgeContext, count: number): readonly Html[] {
  if (count === 0) return [];
  return [
    note(
      'wait',
      html`<b>${formatCount(count, 'photograph')} ${pluralize(count, 'has', 'have')} no small picture.</b> Making ${pluralize(count, 'it', 'them')} took too much memory or time, or was interrupted. The ${pluralize(count, 'photograph is', 'photographs are')} safe, and sent as ${pluralize(count, 'it is', 'they are')}.<form method="post" action="/edge/console" class="actions"><input type="hidden" name="form" value="${csrfToken(context)}"><button class="button line" name="action" value="retry-pictures">Try again</button></form>`,
    ),
  ];
}

/** Alert if HEIC photographs, as many phones take, have no small picture. */
export function heicAlert({ variants }: Pick<EdgeContext, 'variants'>): readonly Html[] {
  if (!variants.lacksHeicDecoder) return [];
  return [
    note(
      'wait',
      html`<b>This box cannot show HEIC photographs.</b> Many phones take them. They are safe, and sent as they are. To show them, install the package libheif-examples on the box.`,
    ),
  ];
}

/** Alerts for the crew: what happened, what is safe, what to do; most urgent first. */
export function consoleAlerts(
  context: EdgeContext,
  shore: ShoreState,
  { free, daysUntilFull }: { readonly free: number; readonly daysUntilFull?: number | null | undefined },
): readonly Html[] {
  const alerts: Html[] = [];
  if (context.reference.revocations().boxes.has(context.store.identity.nodeId))
    alerts.push(
      note(
        'look',
        html`<b>This box was revoked ashore.</b> The shore accepts nothing from it, including its receipts. Its data is safe, and tablets can keep sending to it. Ask the people who run the census to register it again, or take its data ashore on a sealed drive.`,
      ),
    );
  if (free < context.settings.minFreeBytes)
    alerts.push(
      note(
        'look',
        html`<b>The disk is nearly full.</b> The box accepts no more photographs; they wait on the tablets, safe. Everything on the box is safe too. Free some space on the disk, or fit a larger one.`,
      ),
    );
  else if (daysUntilFull !== undefined && daysUntilFull !== null && daysUntilFull < DISK_WARNING_DAYS)
    alerts.push(
      note(
        'wait',
        html`<b>The disk is full in ${daysUntilFull < 1 ? 'less than a day' : `about ${formatCount(Math.floor(daysUntilFull), 'day')}`}.</b> ${formatBytes(free)} are free. Make room, or fit a larger one, before photographs have to wait on the tablets.`,
      ),
    );
  const lost = context.record.blobs.countLostEverywhere();
  if (lost > 0)
    alerts.push(
      note(
        'look',
        html`<b>${formatCount(lost, 'photograph')} on this box ${pluralize(lost, 'is', 'are')} damaged or missing.</b> ${pluralize(lost, 'Its record is', 'Their records are')} safe. Tablets that still have ${pluralize(lost, 'it', 'them')} send ${pluralize(lost, 'it', 'them')} again when they are near: open the app on each one, and keep the camera cards until then. The disk may be failing: have it checked.`,
      ),
    );
  if (shore.freedInVain > 0)
    alerts.push(
      note(
        'look',
        html`<b>${formatCount(shore.freedInVain, 'photograph')} ${pluralize(shore.freedInVain, 'is', 'are')} here only as a preview.</b> The box freed ${pluralize(shore.freedInVain, 'it', 'them')} after the cloud had confirmed ${pluralize(shore.freedInVain, 'it', 'them')}, and the cloud has begun a new store since, which does not have ${pluralize(shore.freedInVain, 'it', 'them')} yet. Tablets that still hold the originals send them when they are ashore themselves: keep their originals, and the camera cards. Nothing more is freed meanwhile.`,
      ),
    );
  const wrong = clockDrifts(context).find(({ ms }) => Math.abs(ms) > CLOCK_DRIFT_MAX_MS);
  if (wrong !== undefined)
    alerts.push(
      note(
        'look',
        html`<b>The box’s clock is ${formatDrift(wrong)}.</b> Nothing is lost by it, but the times that the box writes down are wrong by as much. Set the clock of the computer that it runs on.`,
      ),
    );
  const report = bridgeReport(context);
  const age = report === null ? NaN : context.clock() - Date.parse(report.at);
  if (shore.owed > 0 && age > REPORT_STALE_MS)
    alerts.push(
      note(
        'wait',
        html`<b>Nothing was heard of the bridge for ${formatAge(age)}.</b> What is owed waits here, safe. Look whether the computer on which it runs is on and reaches this box.`,
      ),
    );
  if (shore.refused > 0)
    alerts.push(
      note(
        'wait',
        html`<b>${formatCount(shore.refused, 'record')} ${pluralize(shore.refused, 'is', 'are')} held ashore.</b> The cloud keeps ${pluralize(shore.refused, 'it', 'them')} and shows ${pluralize(shore.refused, 'it', 'them')} to no one until staff have checked. You need to do nothing on the vessel.`,
      ),
    );
  return alerts;
}
