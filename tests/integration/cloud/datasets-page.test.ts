import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IMPORT_OPTIONS } from '../../../cloud-sync/region-import/import-options';
import { startCloud, type TestCloud } from '../../support/servers/cloud';
import { signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let cloud: TestCloud;
let cookie = '';
beforeAll(async () => {
  cloud = await startCloud();
  cookie = `reef-console=${(await signInStaff(cloud, 'staff@example.org')).session}`;
});
afterAll(() => cloud.close());

async function page(form?: Record<string, string>): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${cloud.url}/console/datasets${form === undefined ? '?region=gbr' : ''}`, {
    headers: { cookie },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams({ region: 'gbr', ...form }) }),
  });
  return { status: answer.status, text: await answer.text() };
}
const seed = { id: 'x1', name: 'Ex <b>one</b>', shortName: 'X1', startDate: '2028-09-01', endDate: '2029-03-01' };

it('1§6, 3§8 staff create, edit, link, tag, count, delete and restore datasets on a page of the console', async () => {
  expect((await page()).text).toContain('Nothing was imported yet.');
  const made = await page({ do: 'create', ...seed });
  expect(made.text).toContain('X1 was created.');
  expect(made.text, 'names are text').not.toContain('<b>one</b>');
  const again = await page({ do: 'create', ...seed });
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('Error creating Dataset')]);
  expect(again.text).toContain('gbr has a dataset x1. Choose another id.');
  const edited = await page({ do: 'edit', ...seed, startDate: '2025-09-01', endDate: '2026-03-01' });
  expect(edited.text).toContain('X1 was changed. X1 overlaps with GRC6');
  const linked = await page({ do: 'link', id: 'x1', surveys: 'one two', features: '' });
  expect(linked.text).toContain('Left out, as the region does not have them: one, two.');
  const unlinked = await page({ do: 'link', id: 'none', surveys: 'one' });
  expect(unlinked.text).toContain('Some error occured while linking dataset to surveys');
  expect((await page({ do: 'tag', id: 'x1' })).text).toContain('0 surveys in x1; 0 surveys changed.');
  expect((await page({ do: 'backfill', id: 'x1' })).text).toContain('x1 has 0 surveys, 0 images and 0 reefs.');
  expect((await page({ do: 'tag', id: 'none' })).text).toContain('Some error occurred');
  expect((await page({ do: 'delete', id: 'x1' })).text).toContain('Delete this dataset?');
  const gone = await page({ do: 'delete', id: 'x1', sure: 'yes' });
  expect(gone.text).toContain('X1 was deleted.');
  const shown = (text: string, from: string, to: string): string => text.slice(text.indexOf(from), text.indexOf(to));
  expect(shown(gone.text, 'id="datasets"', 'id="deleted"')).not.toContain('value="x1"');
  expect(shown(gone.text, 'X1 was deleted.', 'id="datasets"')).toMatch(/value="restore".*value="x1".*Undo/s);
  expect(gone.text).toContain('Restore X1');
  const taken = await page({ do: 'create', ...seed });
  expect(taken.text).toContain('gbr has a dataset x1, which was deleted. Restore it, or choose another id.');
  const restored = await page({ do: 'restore', id: 'x1' });
  expect(restored.text).toContain('X1 was restored. X1 overlaps with GRC6');
  expect(restored.text).not.toContain('id="deleted"');
  expect((await page({ do: 'restore', id: 'none' })).text).toContain('gbr has no dataset none.');
});

it('1§3 the report of the last import, and the command for the next, are on the page', async () => {
  await cloud.cloud.context.database.pool.query(
    `INSERT INTO map_imports (region_id, at, by, report) VALUES ('gbr', now(), 'command', '{"layers": [{"layer": "zoning", "imported": 686, "left": 70, "lines": ["zoning, feature 2 has no colour; left out."]}]}')`,
  );
  const { text } = await page();
  for (const words of ['zoning', '686', '70', 'feature 2 has no colour']) expect(text).toContain(words);
  expect(text).toContain('npm run region:import -- --region gbr --outlines reefs.geojson');
  for (const { option } of IMPORT_OPTIONS)
    expect(text).toContain(option.replace(/[<>]/g, (letter) => `&#${letter.charCodeAt(0)};`));
});
