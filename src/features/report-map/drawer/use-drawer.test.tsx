import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { lateCode, useDrawer, type LateCode } from './use-drawer';

interface Code {
  readonly title: string;
}

function Place({
  drawer,
  hasDrawer = true,
  hasReefs = true,
}: {
  drawer: LateCode<Code>;
  hasDrawer?: boolean;
  hasReefs?: boolean;
}) {
  const { code } = useDrawer({ hasDrawer, hasReefs }, drawer);
  return code?.title ?? 'first list';
}

test('3§2 a drawer whose code has come is there in the first frame, without the first list before it', async () => {
  const results = lateCode(async () => ({ title: 'Results' }));
  const report = lateCode(async () => ({ title: 'Report' }));
  expect(renderToStaticMarkup(<Place drawer={results} />)).toBe('first list');
  await results.load();
  await report.load();
  for (const title of ['Results', 'Report', 'Results'])
    expect(renderToStaticMarkup(<Place drawer={title === 'Report' ? report : results} />)).toBe(title);
});

test('3§2 the first list stays while the drawer has no reefs, or is not to be shown', async () => {
  const drawer = lateCode(async () => ({ title: 'Results' }));
  await drawer.load();
  expect(renderToStaticMarkup(<Place drawer={drawer} hasReefs={false} />)).toBe('first list');
  expect(renderToStaticMarkup(<Place drawer={drawer} hasDrawer={false} />)).toBe('first list');
});

test('late code is the same each time it is loaded, and a failure can be tried again', async () => {
  let calls = 0;
  const late = lateCode(async () => {
    calls++;
    if (calls === 1) throw new Error('offline');
    return { title: `load ${calls}` };
  });
  await expect(late.load()).rejects.toThrow('offline');
  expect(late.code).toBeNull();
  const [first, second] = await Promise.all([late.load(), late.load()]);
  expect(second).toBe(first);
  expect(await late.load()).toBe(late.code);
});
