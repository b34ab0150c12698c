import { isObject } from '../json';

/** Name under which box and cloud serve the events. */
export const EVENTS_REFERENCE = 'events';

/** Most tags of an analysis. */
const TAGS_MAX = 100;

/**
 * Handles of the events that an analysis counts for (2§3 "eventTags"): that of the route, those that run now and are
 * linked to one of the person's domains (handles of events and organisations), and those linked to any of
 * them.
 *
 * @param events as a server sent them; an invalid one is skipped
 * @param now ISO 8601
 */
export function eventTagsOf(
  events: unknown,
  {
    route,
    domains,
    now,
  }: { readonly route: readonly string[]; readonly domains: readonly string[]; readonly now: string },
): readonly string[] {
  const known = new Map(
    (Array.isArray(events) ? (events as unknown[]) : []).flatMap(parseEvent).map((one) => [one.handle, one]),
  );
  const own = new Set(domains.map((domain) => domain.toLowerCase()));
  const tags = new Set(route.map((handle) => handle.toLowerCase()).filter((handle) => handle !== ''));
  for (const { handle, domains: of, starts, ends } of known.values())
    if ((own.has(handle) || of.some((domain) => own.has(domain))) && starts <= now && now <= ends) tags.add(handle);
  // A set hands out what is added while it is read: links of links count too.
  for (const tag of tags) for (const linked of known.get(tag)?.linked ?? []) if (tags.size < TAGS_MAX) tags.add(linked);
  return [...tags].slice(0, TAGS_MAX);
}

interface LinkedEvent {
  readonly handle: string;
  readonly domains: readonly string[];
  readonly linked: readonly string[];
  /** ISO 8601; empty: always. */
  readonly starts: string;
  readonly ends: string;
}

/** Later than any time of an event. */
const NEVER = '~';

function parseEvent(event: unknown): readonly LinkedEvent[] {
  if (!isObject(event) || typeof event['handle'] !== 'string' || event['deleted'] === true) return [];
  const time = (...values: readonly unknown[]): string | undefined => values.find((value) => typeof value === 'string');
  return [
    {
      handle: event['handle'].toLowerCase(),
      domains: textsOf(event['domains']),
      linked: textsOf(event['linkedEvents']),
      starts: time(event['timestart'], event['startDate']) ?? '',
      ends: time(event['timeend'], event['endDate']) ?? NEVER,
    },
  ];
}

/** Handles in a list of handles, or of objects that have one. */
function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).flatMap((each) => {
    const text = isObject(each) ? each['handle'] : each;
    return typeof text === 'string' && text !== '' ? [text.toLowerCase()] : [];
  });
}
