import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright';
import { startEdge } from '../support/servers/edge';
import { firstLoad } from './tools/first-load';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const APP = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'app');
const ROUNDS = 15;
/** Slowdown of this machine to the speed of a tablet some years old. */
const SLOW_DOWN = 4;
const GOAL = { ratio: 1.4, bytes: 130_000 };

export const bench: Bench = {
  about: `the first visit at ${SLOW_DOWN} times CPU slow-down, beside a bare HTML page with the same text`,
  async run(say) {
    const { scripts, gzip } = firstLoad(APP);
    for (const script of scripts) say(`${(script.gzip / 1000).toFixed(1).padStart(6)} kB  ${script.file}`);
    const edge = await startEdge();
    const bare = await serveBare(readFileSync(path.join(APP, 'index.html'), 'utf8'));
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const app = visitor('app', browser, `${edge.url}/surveys`);
      const rival = visitor('bare page', browser, bare.url);
      const turns = await interleave([app, rival], ROUNDS);
      const seconds = (name: string): readonly Turn[] => turns.get(name) ?? [];
      for (const name of ['app', 'bare page'])
        say(
          `${name.padEnd(10)} first contentful paint ${(median(seconds(name).map((turn) => turn.seconds)) * 1000).toFixed(0)} ms`,
        );
      return [
        {
          figure: 'first contentful paint of a first visit',
          value: ratioByRound(seconds('app'), seconds('bare page'), (turn) => turn.seconds),
          unit: '×',
          rule: '<=',
          goal: GOAL.ratio,
          rival: 'bare HTML',
        },
        {
          figure: 'initial JavaScript, start page included',
          value: gzip / 1000,
          unit: 'kB gzip',
          rule: '<=',
          goal: GOAL.bytes / 1000,
        },
      ];
    } finally {
      await browser.close();
      await bare.stop();
      await edge.remove();
    }
  },
};

/** First visit with an empty cache: time from the start of the navigation to the first text or picture. */
function visitor(name: string, browser: Browser, url: string): Contestant {
  return {
    name,
    async turn() {
      const context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
      try {
        const page = await context.newPage();
        const devtools = await context.newCDPSession(page);
        await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
        await page.goto(url, { waitUntil: 'load' });
        const ms = await page.evaluate(
          () =>
            new Promise<number>((resolve) => {
              new PerformanceObserver((list) => {
                for (const entry of list.getEntriesByName('first-contentful-paint')) resolve(entry.startTime);
              }).observe({ type: 'paint', buffered: true });
            }),
        );
        return { seconds: ms / 1000, cpuSeconds: 0 };
      } finally {
        await context.close();
      }
    },
  };
}

/** Serves the text of the first paint as a bare page. */
async function serveBare(html: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const words = (html.split('<body>')[1] ?? '')
    .replace(/<(script|noscript|svg)[\s\S]*?<\/\1>/g, '')
    .split(/<[^>]+>/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Great Reef Census</title></head><body>${words.map((word) => `<p>${word}</p>`).join('')}</body></html>`;
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
