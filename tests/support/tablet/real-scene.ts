import type { SurveyId } from '../../../src/domain/ids';
import { type TestEdge, startEdge } from '../servers/edge';
import { closers } from './closers';
import { type TestTabletOptions, openTestTablet } from './tablet';

export type RealTablet = Awaited<ReturnType<typeof openTestTablet>>;

/** Starts a real box on loopback, removed after the test. */
export async function edge(options: Parameters<typeof startEdge>[0] = {}): Promise<TestEdge> {
  const started = await startEdge(options);
  closers.push(() => started.remove());
  return started;
}

/** Opens the production tablet in Node, closed after the test. */
export async function tablet(options: TestTabletOptions = {}): Promise<RealTablet> {
  const opened = await openTestTablet(options);
  closers.push(() => opened.close());
  return opened;
}

/** Adds a survey of the current user, or of Ana if there is none. */
export async function survey({ repositories }: RealTablet, first = 'Ana'): Promise<SurveyId> {
  if (repositories.account.people.current.get() === null)
    await repositories.account.people.createPending({
      name: { first, last: 'Reef' },
      email: `${first.toLowerCase()}@example.org`,
    });
  return repositories.census.surveys.add({
    name: 'Dive 1',
    date: '2026-11-20',
    type: 'scuba',
    location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' },
  });
}
