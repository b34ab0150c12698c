import { afterEach, expect, test, vi } from 'vitest';
import { CloudHttp } from '../../../src/data/transport/cloud/cloud-http';
import { EdgeConnection } from '../../../src/data/transport/edge/edge-link-keeper';
import { REGION_IDS } from '../../../src/domain/region/region-id';
import { startCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { edge, tablet, type RealTablet } from '../../support/tablet/real-scene';

/** Reference data that tablets ask each server for. */
const NAMES = {
  cloud: ['events', 'profile-fields', 'regions'],
  box: ['events', 'regions', ...REGION_IDS.map((id) => `reefs-${id}`)].sort(),
};

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
afterEach(() => void vi.restoreAllMocks());

/** Opens everything of a tablet that reads reference data. */
function openReaders({ repositories: { account, census, edge: aboard } }: RealTablet): void {
  const lists = [
    aboard.link.state,
    census.regions.all,
    census.surveys.all,
    census.analyses.mine,
    ...REGION_IDS.map((id) => census.reefs.table(id)),
    account.profile.mine,
  ];
  for (const list of lists) {
    const stop = list.subscribe(() => undefined);
    closers.push(async () => stop());
  }
}

test('1§3 a tablet meets no error status in asking new servers for reference data', async () => {
  const [shore, box] = [await startCloud(), await edge()];
  closers.push(() => shore.close());
  const refused: string[] = [];
  const asked = {
    cloud: vi.spyOn(CloudHttp.prototype, 'reference'),
    box: vi.spyOn(EdgeConnection.prototype, 'reference'),
  };
  const answers = async (server: keyof typeof asked) => {
    const names = (): string[] => [...new Set(asked[server].mock.calls.map(([name]) => name))].sort();
    await expect.poll(names, { timeout: 50_000 }).toEqual(NAMES[server]);
    return [...new Set(await Promise.all(asked[server].mock.results.map(({ value }) => value as unknown)))];
  };
  const one = await tablet({
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (/\/reference\b/.test(String(url)) && response.status >= 400)
        refused.push(`${response.status} ${String(url)}`);
      return response;
    },
  });
  openReaders(one);
  const { signIn, profile } = one.repositories.account;
  await signIn.pinCloud(shore.url);
  await signIn.sendCode('ana@example.org');
  await signIn.withCode('ana@example.org', codeIn(outboxMails(shore.outbox), 'ana@example.org'));
  expect(await profile.fields()).toEqual([]);
  expect(await answers('cloud')).toEqual([undefined]);
  await one.repositories.edge.link.pair(box.url, box.code);
  expect(await answers('box')).toEqual(['none']);
  expect(refused).toEqual([]);
});
