import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright';
import { waitForIdle } from './screens';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Rules that read computed colours, sizes or overflow. All others read the document: names, roles, attributes and
 * order, which a theme rarely changes (a `HoldButton` on deck is another element).
 */
const STYLE_RULES = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/**
 * Leaves out costs beyond the violations: nodes of passed rules, and style sheets read for a rule that
 * these tags and the defaults exclude (css-orientation-lock).
 */
const OPTIONS: axe.RunOptions = { resultTypes: ['violations'], preload: { assets: ['media'], timeout: 10_000 } };

/**
 * Reports axe's faults on the idle page, one per line. axe is loaded once into each page: the usual package loads it
 * for each run and opens a second page to end the run, which takes several times as long as the run itself.
 *
 * @param tags groups of rules; if empty, all rules that are on by default
 */
export function axeFaults(page: Page, tags: readonly string[] = TAGS): Promise<string[]> {
  return faults(page, tags.length === 0 ? OPTIONS : { ...OPTIONS, runOnly: { type: 'tag', values: [...tags] } });
}

/** Reports the faults that another theme can cause on a page which `axeFaults` has passed at this size. */
export async function axeThemeFaults(page: Page): Promise<string[]> {
  await waitForIdle(page);
  const isSame = await page.evaluate(() => (window as unknown as Checked).checkedHtml === document.body.outerHTML);
  return isSame ? faults(page, { ...OPTIONS, runOnly: { type: 'rule', values: STYLE_RULES } }) : axeFaults(page);
}

/** Page with axe, and its content at the last run of all rules. */
interface Checked {
  readonly axe: typeof axe;
  checkedHtml?: string;
}

async function faults(page: Page, options: axe.RunOptions): Promise<string[]> {
  await waitForIdle(page);
  if (!(await page.evaluate(() => 'axe' in window))) await loadAxe(page);
  return page.evaluate(async (options) => {
    const checked = window as unknown as Checked;
    if (options.runOnly === undefined || (options.runOnly as axe.RunOnly).type === 'tag')
      checked.checkedHtml = document.body.outerHTML;
    const { violations } = await checked.axe.run(document, options);
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
    );
  }, options);
}

/** By the debugger, which keeps the compiled script for the next page; evaluated by Playwright it took three times as long. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: SOURCE });
  await session.detach();
  if (exceptionDetails !== undefined) throw new Error(`axe did not load: ${exceptionDetails.text}`);
}
