import { describe, expect, test } from 'vitest';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';

function knownNames({ repositories }: RealTablet): () => readonly string[] {
  const { known } = repositories.account.people;
  const stop = known.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => known.get().items.map(({ name }) => name.first);
}

/** Sessions of the box as the connected tablet lists them. */
const listed = async ({ repositories }: RealTablet) =>
  (await repositories.edge.link.access.sessions().catch(() => null))?.sessions ?? [];

async function untilListed(one: RealTablet, expected: { readonly person: string; readonly tablet: string }) {
  const end = Date.now() + 45_000;
  for (;;) {
    const mine = (await listed(one)).find(({ current }) => current);
    if (mine?.person === expected.person && mine.tablet === expected.tablet) return;
    if (Date.now() > end) throw new Error(`the box lists ${JSON.stringify(mine)}, not ${JSON.stringify(expected)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('1§6 names of people and tablets', () => {
  test('pairing signs in aboard who gave a name before; the box lists person and tablet by name', async () => {
    const box = await edge();
    const one = await tablet();
    const { account, edge: link, tablet: self, census } = one.repositories;
    // Follows as a screen does: without a follower the connection may rest.
    const unfollow = link.link.state.subscribe(() => undefined);
    closers.push(async () => unfollow());
    const id = await survey(one);
    await link.link.pair(box.url, box.code);
    expect(account.people.current.get()).toMatchObject({ name: { first: 'Ana', last: 'Reef' }, pending: true });
    expect(await link.link.isSignedIn()).toBe(true);
    await self.name.rename('  Bow   tablet ');
    expect(await self.name.read()).toBe('Bow tablet');
    await untilListed(one, { person: 'Ana Reef', tablet: 'Bow tablet' });
    // Work from before the pairing is still theirs.
    const live = census.surveys.all;
    closers.push(async () => stop());
    const stop = live.subscribe(() => undefined);
    await until(() => live.get().items.some((shown) => shown.id === id), 'the survey of before');
  });

  test('a box that refuses the sign-in leaves the tablet paired, and the person as they were', async () => {
    const box = await edge();
    const one = await tablet();
    await survey(one);
    const before = one.repositories.account.people.current.get();
    const { fetch } = one.context.store.host;
    (one.context.store.host as { fetch: typeof fetch }).fetch = (url, init) =>
      String(url).endsWith('/edge/sign-in') ? Promise.reject(new TypeError('Failed to fetch')) : fetch(url, init);
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => one.repositories.edge.link.state.get().status === 'connected', 'paired');
    expect(one.repositories.account.people.current.get()).toEqual(before);
    expect(await one.repositories.edge.link.isSignedIn()).toBe(false);
  });

  test('the tablet offers those who used it to hand over to, each once, and resumes them under their id', async () => {
    const box = await edge();
    const one = await tablet();
    const { people } = one.repositories.account;
    await survey(one);
    await one.repositories.edge.link.pair(box.url, box.code);
    const ana = people.current.get();
    const names = knownNames(one);
    expect(names()).toEqual([]);
    await people.clearCurrent();
    await people.createPending({ name: { first: 'Ben', last: 'Reef' }, email: 'ben@example.org' });
    await until(() => names().join() === 'Ana', 'Ana, though she has two ids here');
    await people.clearCurrent();
    await until(() => names().join() === 'Ana,Ben', 'both');
    const known = people.known.get().items.find(({ name }) => name.first === 'Ana')!;
    expect(known).toMatchObject({ isOfTablet: true, email: ana!.email });
    const back = await people.resume(known);
    expect(one.context.access.isOfTablet(back.uid)).toBe(true);
    expect(people.current.get()).toEqual(back);
    await until(() => names().join() === 'Ben', 'the other one');
  });

  test('each tablet names the author of a conflicting value who gave a name on another', async () => {
    const box = await edge();
    const [one, two] = [await tablet(), await tablet()];
    const id = await survey(one, 'Ana');
    await two.repositories.account.people.createPending({
      name: { first: 'Ben', last: 'Okafor' },
      email: 'ben@example.org',
    });
    for (const { repositories } of [one, two]) await repositories.edge.link.pair(box.url, box.code);
    const names = (at: RealTablet): (() => readonly string[]) => {
      const live = at.repositories.census.conflicts.names;
      const stop = live.subscribe(() => undefined);
      closers.push(async () => stop());
      return () =>
        live
          .get()
          .items.map(({ name }) => name)
          .toSorted();
    };
    const shown = [names(one), names(two)];
    const surveys = two.repositories.census.surveys.all;
    const stop = surveys.subscribe(() => undefined);
    closers.push(async () => stop());
    await until(() => surveys.get().items.some((each) => each.id === id), 'the survey on the other tablet');
    for (const { repositories } of [one, two]) await repositories.edge.link.setOfflineByChoice(true);
    await one.repositories.census.surveys.edit(id, { duration: 45 });
    await two.repositories.census.surveys.edit(id, { duration: 30 });
    for (const { repositories } of [one, two]) await repositories.edge.link.setOfflineByChoice(false);
    for (const get of shown) await until(() => get().length === 2, 'both names');
    for (const get of shown) expect(get()).toEqual(['Ana Reef', 'Ben Okafor']);
  });
});
