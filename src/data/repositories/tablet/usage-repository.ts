import type { UsageEvent } from '../../../protocol/cloud-http';
import type { ReportQueue } from '../../report-queue';
import type { OpsStore } from '../../ops/ops-store';

/** Plain values of an event; no name, address or text that a person wrote. */
type UsageFields = Readonly<Record<string, string | number | boolean | null>>;

/** Events of use (2§7 "Analytics events"). They are counted ashore, wait while offline, and nothing waits for them. */
export interface UsageRepository {
  /** @param event name, such as `analysis_complete` */
  readonly note: (event: string, fields?: UsageFields) => void;
}

/** Longest text of a field. A server refuses longer ones, and all events that came with them. */
const TEXT_MAX = 200;

const fit = (value: UsageFields[string]): UsageFields[string] =>
  typeof value === 'string' ? value.replaceAll('\0', '').slice(0, TEXT_MAX) : value;

export function createUsageRepository(
  store: Pick<OpsStore, 'isoNow'>,
  queue: Pick<ReportQueue<UsageEvent>, 'add'>,
): UsageRepository {
  return {
    note: (name, params) =>
      queue.add({
        name,
        at: store.isoNow(),
        ...(params === undefined
          ? {}
          : { params: Object.fromEntries(Object.entries(params).map(([field, value]) => [field, fit(value)])) }),
      }),
  };
}
