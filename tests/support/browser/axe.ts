import axe from 'axe-core';
import type { Page } from 'playwright';
import { waitForIdle } from './screens';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Reports axe's faults on the idle page, one per line. axe is loaded once into each page: the usual package loads it
 * for each run and opens a second page to end the run, which takes several times as long as the run itself.
 *
 * @param tags groups of rules; if empty, all rules that are on by default
 */
export async function axeFaults(page: Page, tags: readonly string[] = TAGS): Promise<string[]> {
  await waitForIdle(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (tags) => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run(
      document,
      tags.length === 0 ? {} : { runOnly: { type: 'tag', values: [...tags] } },
    );
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
    );
  }, tags);
}
