import { custodyOf } from '../../../src/data/sync/custody/custody';
import type { Custody } from '../../../src/data/repositories';
import type { SurveyId } from '../../../src/domain/ids';
import { ScriptedBox } from '../doubles/scripted-box';
import { ScriptedCloud } from '../doubles/scripted-cloud';
import type { TestTabletOptions } from './tablet';
import { ManualClock, openTestTablet, quiet } from './tablet';

export type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

/** Tablet with a scripted box and a manual clock. */
export interface Scenario {
  readonly clock: ManualClock;
  readonly box: ScriptedBox;
  readonly tablet: TestTablet;
}

const closers: (() => Promise<void>)[] = [];

/** Closes every tablet that a test opened. */
export async function closeTablets(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export async function openBeside(
  clock: ManualClock,
  box: ScriptedBox,
  options: TestTabletOptions = {},
): Promise<TestTablet> {
  const tablet = await openTestTablet({ clock, fetch: box.fetch, openSocket: box.openSocket, ...options });
  closers.push(() => tablet.close());
  return tablet;
}

export async function scene(options: TestTabletOptions = {}): Promise<Scenario> {
  const clock = new ManualClock();
  const box = new ScriptedBox(clock.now);
  return { clock, box, tablet: await openBeside(clock, box, options) };
}

/** Scene with an additional cloud: the box is paired only if a test does so. */
export interface ShoreScene extends Scenario {
  readonly cloud: ScriptedCloud;
}

export async function shoreScene(options: TestTabletOptions = {}): Promise<ShoreScene> {
  const clock = new ManualClock();
  const box = new ScriptedBox(clock.now);
  const cloud = new ScriptedCloud(clock.now);
  return {
    clock,
    box,
    cloud,
    tablet: await openBeside(clock, box, {
      fetch: (url, init) => (url.startsWith(cloud.origin) ? cloud.fetch(url, init) : box.fetch(url, init)),
      ...options,
    }),
  };
}

/** Signs the person in ashore with the mailed code. */
export async function signInAshore({ tablet, cloud }: Pick<ShoreScene, 'tablet' | 'cloud'>): Promise<void> {
  const { account } = tablet.repositories;
  await account.signIn.pinCloud(cloud.origin);
  await account.signIn.sendCode(cloud.person.email);
  await account.signIn.withCode(cloud.person.email, cloud.code);
}

/** Adds a survey; first enters a person if there is none. */
export async function addSurvey({ repositories }: TestTablet, name = 'Dive 1'): Promise<SurveyId> {
  if (repositories.account.people.current.get() === null)
    await repositories.account.people.createPending({ name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' });
  return repositories.census.surveys.add({
    name,
    date: '2026-11-20',
    type: 'scuba',
    location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' },
  });
}

/** Runs everything and advances the clock to each timer until `look` holds. */
export async function runUntil(
  clock: ManualClock,
  look: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (let step = 0; step < 400; step++) {
    await quiet(250);
    if (await look()) return;
    const next = clock.next();
    if (next !== undefined) await clock.advance(next);
  }
  throw new Error(`did not happen: ${what}`);
}

export function custodyAt({ context }: TestTablet, kind: 'image' | 'survey', id: string): Custody {
  return custodyOf(
    context.opIndex,
    { facts: context.sync.sender.facts.get(), delays: context.sync.sender.delays },
    kind,
    id,
  );
}

/** True once nothing is owed. */
export const settled =
  ({ repositories }: TestTablet) =>
  (): boolean =>
    repositories.custody.sending.facts.get().state === 'done';
