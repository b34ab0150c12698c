import { afterEach, expect, it, vi } from 'vitest';
import { TestCloud } from '../../support/servers/cloud';
import { FigureScene } from '../../support/servers/figure-scene';
import { signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

it('2§1 the console compares experts, model and citizens, and lists what cannot be computed', async () => {
  const census = await FigureScene.open();
  undo.push(() => census.close());
  await census.addDataset();
  await census.addSurvey('Survey0000000001');
  await census.place('Survey0000000001', 'gbr-16-071');
  await census.addImage('Image00000000001', 'Survey0000000001');
  const answer = ['branching', 'branching', 'structure', 'structure'];
  await census.analyse('Image00000000001', 'Person0000000001', answer, { isExpert: true });
  await census.analyse('Image00000000001', 'Person0000000002', ['branching', 'branching', 'branching', 'structure']);
  await census.settle();
  const cloud = await TestCloud.start({ databaseUrl: census.url });
  undo.push(() => cloud.close());
  const cookie = `reef-console=${(await signInStaff(cloud, 'staff@example.org')).session}`;
  const page = async (form?: Record<string, string>) => {
    const answered = await fetch(`${cloud.url}/console/figures${form === undefined ? '?region=gbr' : ''}`, {
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams({ region: 'gbr', ...form }) }),
    });
    return { status: answered.status, text: await answered.text() };
  };
  const { text } = await page();
  expect(text).toMatch(/Branching coral<\/b>.*bias \+\d\d\.\d, error \d\d\.\d/s);
  expect(text).toMatch(/No coral<\/b>.*bias −\d\d\.\d/s);
  expect(text).toMatch(/Match with experts.*\d\d% of a picture/s);
  expect(text).toContain('None. Photographs listed here');

  await census.rows(`INSERT INTO broken_figures (image_id, why) VALUES ('Image00000000009', 'it took <b>long</b>')`);
  const broken = (await page()).text;
  expect(broken).toMatch(/Image00000000009.*it took &\S+long/s);
  expect(broken, 'reasons are text').not.toContain('<b>long');
  const asked = async (action: string) => {
    // Its jobs start a moment after it.
    for (;;) {
      const done = await page({ do: action });
      if (done.status === 200) return done.text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  expect(await asked('retry')).toContain('1 photograph will be computed again.');
  expect(await asked('renew')).toContain('Skill is estimated now');
  expect((await fetch(`${cloud.url}/console/figures`)).status).toBe(401);
});
