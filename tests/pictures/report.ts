/** The report in each theme and size: as a visitor sees it, and with a reef open for someone who signed in. */
import type { Page } from 'playwright';
import { enterByCode } from '../support/browser/sign-in-page';
import { SIZES, THEMES, switchTheme, type ScreenTheme } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import { outboxOf } from '../support/servers/mail';
import { playReportScene } from '../support/servers/report-scene';

/** Takes one picture of the page as it is. */
type Take = (name: string, size: string, theme: ScreenTheme, page: Page) => Promise<void>;

/** @param wants false for a size and theme that is not asked for, such as `tablet-light` */
export async function takeReport(take: Take, wants: (place: string) => boolean): Promise<void> {
  const scene = await playReportScene({ spread: true });
  const { page, close } = await openTablet({ charts: true });
  try {
    await takeAll('report-visitor', '/detailed-reporting?look=results');
    await page.goto(`${scene.cloud.url}/detailed-reporting`);
    await enterByCode(page, outboxOf(scene.cloud.outbox), 'mara@example.org', 'Mara');
    const reef = encodeURIComponent(JSON.stringify(scene.moore.id));
    await takeAll('report', `/detailed-reporting?tab=reefs&reef=${reef}`);
  } finally {
    await close();
    await scene.close();
  }

  async function takeAll(name: string, address: string): Promise<void> {
    for (const theme of THEMES)
      for (const { name: size, width, height } of SIZES) {
        if (!wants(`${size}-${theme}`)) continue;
        await page.setViewportSize({ width, height });
        await page.goto(`${scene.cloud.url}${address}`);
        await switchTheme(page, theme);
        await page.locator('[data-drawn="true"]').waitFor({ timeout: 120_000 });
        await page.waitForTimeout(1500);
        await take(name, size, theme, page);
      }
  }
}
