import { describe, expect, it } from 'vitest';
import { eventTagsOf } from './event-tags';

const NOW = '2026-11-20T00:00:00.000Z';
const EVENTS = [
  {
    handle: 'ReefWeek',
    domains: ['school.edu'],
    linkedEvents: ['reefmonth'],
    timestart: '2026-11-01',
    timeend: '2026-12-01',
  },
  { handle: 'reefmonth', linkedEvents: [{ handle: 'reefyear' }, 7] },
  { handle: 'reefyear', linkedEvents: ['reefweek'] },
  { handle: 'past', domains: ['school.edu'], timeend: '2026-01-01' },
  { handle: 'gone', domains: ['school.edu'], deleted: true },
  { handle: 'divers' },
  { domains: ['school.edu'] },
  null,
];
const tags = (route: string[], domains: string[], events: unknown = EVENTS) =>
  eventTagsOf(events, { route, domains, now: NOW });

describe('2§3 event tags of an analysis', () => {
  it('2§3 the event of the route counts, with those linked to it, also when it is unknown here', () => {
    expect(tags(['reefmonth'], [])).toEqual(['reefmonth', 'reefyear', 'reefweek']);
    expect(tags(['Elsewhere'], [], undefined)).toEqual(['elsewhere']);
    expect(tags([], [])).toEqual([]);
  });

  it('2§3 events that run now and name a domain of the person count, and no others', () => {
    expect(tags([], ['School.edu'])).toEqual(['reefweek', 'reefmonth', 'reefyear']);
    expect(tags([], ['divers'])).toEqual(['divers']);
  });

  it.each([null, {}, 'events', 7])('2§3 events that are %j yield no tags and no error', (events) => {
    expect(tags([], ['school.edu'], events)).toEqual([]);
  });
});
