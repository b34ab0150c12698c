import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { bundleFirstReef } from './scripts/first-reef.mjs';
import { flagSprite } from './scripts/flag-sprite.mjs';
import { ENGINE_FLOORS } from './src/platform/engine-floors';
import { FirstPaint } from './src/features/shell/frame/FirstPaint';

/** Build target: the oldest supported version of each engine, as `chrome137`. */
const ENGINES = Object.entries(ENGINE_FLOORS).map(([engine, version]) => `${engine}${version}`);

const fromRoot = (place: string) => path.join(import.meta.dirname, place);

/** Screenshots for the browser's install sheet; `npm run pictures -- --keep` renews them. */
const SCREENSHOTS = [
  {
    src: '/screenshots/capture.webp',
    sizes: '1180x820',
    type: 'image/webp',
    form_factor: 'wide',
    label: 'A survey and its photographs, each saved',
  },
  {
    src: '/screenshots/photographs.webp',
    sizes: '1180x820',
    type: 'image/webp',
    form_factor: 'wide',
    label: 'Where every photograph is: tablet, box, shore',
  },
  {
    src: '/screenshots/photographs-phone.webp',
    sizes: '390x844',
    type: 'image/webp',
    form_factor: 'narrow',
    label: 'Where every photograph is, on a phone',
  },
] as const;

/** Modules that the first page shares with others: separately they would be a dozen small files. */
const BASE = new RegExp(
  [
    String.raw`/node_modules/(react|scheduler|@tanstack/(react-router|react-store))/`,
    String.raw`/src/base/(emitter|observable|plural)\.ts$`,
    String.raw`/src/platform/(first-view|local-settings)\.ts$`,
    String.raw`/src/domain/(id-shape|limits|reef/plain-text|region/region-id|survey/day)\.ts$`,
    String.raw`/src/data/repositories/live\.ts$`,
    String.raw`/src/ui/(display/(Icon|icon-paths)|controls/Button)\.tsx?$`,
    String.raw`/src/features/shell/(frame/PageHeader|frame/PageFooter|persisted-state|stored-state|use-observable)\.tsx?$`,
    String.raw`/src/ui/display/NoWrap\.tsx$`,
    String.raw`/src/routes/-report-search\.ts$`,
    String.raw`/src/features/sync-status/fact-text\.ts$`,
    String.raw`/src/features/map/first-picture/early-reading\.ts$`,
  ].join('|'),
);

/** Shows the shell before any script runs. */
const firstPaint: Plugin = {
  name: 'first-paint',
  transformIndexHtml: (html) =>
    html.replace('<!-- first paint -->', () => renderToStaticMarkup(createElement(FirstPaint))),
};

/** Script that paints the report's first picture before the app. */
let firstReef = { fileName: '', code: '' };

/** The text must not close its element. */
const inlineElement = (name: 'style' | 'script', text: string) =>
  `<${name}>${text.trim().replaceAll(`</${name}`, `<\\/${name}`)}</${name}>`;

/**
 * Inlines style and scripts of the first paint: each file would cost a round trip. The box lists their hashes in the
 * content security policy (src/server/page-hashes.ts). The script loads the app afterwards.
 */
const inlineFirstPaint: Plugin = {
  name: 'first-paint-in-page',
  apply: 'build',
  async buildStart() {
    firstReef = await bundleFirstReef(fromRoot('src'), fromRoot('src/app/first-reef/first-reef.ts'), ENGINES);
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: firstReef.fileName, source: firstReef.code });
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const styled = html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/g, (link, file: string) => {
        const sheet = bundle[file];
        if (sheet?.type !== 'asset') return link;
        return inlineElement(
          'style',
          typeof sheet.source === 'string' ? sheet.source : new TextDecoder().decode(sheet.source),
        );
      });
      // Preloads would delay the first paint.
      const withoutPreloads = styled.replace(/<link rel="modulepreload"[^>]*>\s*/g, '');
      const start = /<script type="module"[^>]*src="([^"]+)"><\/script>/;
      const entry = start.exec(styled)?.[1];
      const app = Object.values(bundle).find(
        (part) => part.type === 'chunk' && part.facadeModuleId === fromRoot('src/app/main.tsx'),
      );
      if (entry === undefined || app?.type !== 'chunk') throw new Error('The built page begins no app.');
      const later = withoutComments(readFileSync(fromRoot('src/app/after-first-paint.js'), 'utf8'))
        .replace('START', () => JSON.stringify(entry))
        .replace('PARTS', () =>
          JSON.stringify([app.fileName, ...app.imports].map((file) => `/${file}`).filter((file) => file !== entry)),
        )
        .replace('FIRST', () => JSON.stringify(`/${firstReef.fileName}`))
        .replace('REPORT', () => JSON.stringify(pageParts(bundle, REPORT_PAGE, [app.fileName, ...app.imports])));
      const theme = withoutComments(readFileSync(fromRoot('public/theme.js'), 'utf8'));
      return withoutPreloads
        .replace(start, '')
        .replace('<script src="/theme.js"></script>', () => inlineElement('script', `${theme}${later}`));
    },
  },
};

/** Page whose code is fetched together with the app, not after it. */
const REPORT_PAGE = /\/src\/routes\/detailed-reporting\/.*\?tsr-split=component$/;

/** Scripts and styles of a page with what they import, but for those that load anyway. */
function pageParts(bundle: Rolldown.OutputBundle, page: RegExp, loaded: readonly string[]): readonly string[] {
  const root = Object.values(bundle).find((part) => part.type === 'chunk' && page.test(part.facadeModuleId ?? ''));
  if (root?.type !== 'chunk') throw new Error(`The build has no page ${page.source}.`);
  const files = new Set<string>();
  const add = (name: string): void => {
    const part = bundle[name];
    if (part?.type !== 'chunk' || files.has(name) || loaded.includes(name)) return;
    files.add(name);
    for (const other of part.imports) add(other);
    for (const sheet of part.viteMetadata?.importedCss ?? []) files.add(sheet);
  };
  add(root.fileName);
  return [...files].map((file) => `/${file}`);
}

function withoutComments(script: string): string {
  return script
    .split('\n')
    .filter((line) => !line.trim().startsWith('//'))
    .join('\n');
}

/**
 * Country flags (package country-flag-icons, MIT) as one file, with its URL in `virtual:flags`: some systems have no
 * flags in their fonts.
 */
const flags: Plugin = {
  name: 'flags',
  resolveId: (id) => (id === 'virtual:flags' ? '\0flags' : undefined),
  load(id) {
    if (id !== '\0flags') return undefined;
    const { svg, codes } = flagSprite();
    const url =
      this.environment.mode === 'build'
        ? `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'flags.svg', source: svg })}`
        : JSON.stringify(FLAGS_IN_DEVELOPMENT);
    return `export const url = ${url};\nexport const codes = new Set(${JSON.stringify(codes)});`;
  },
  configureServer(server) {
    server.middlewares.use(FLAGS_IN_DEVELOPMENT, (_request, response) => {
      response.setHeader('content-type', 'image/svg+xml');
      response.end(flagSprite().svg);
    });
  },
};
const FLAGS_IN_DEVELOPMENT = '/flags.svg';

/** Root `src`, output `dist/app`, which the edge serves. */
export default defineConfig({
  root: fromRoot('src'),
  publicDir: fromRoot('public'),
  cacheDir: fromRoot('node_modules/.cache/vite'),
  build: {
    outDir: fromRoot('dist/app'),
    emptyOutDir: true,
    target: ENGINES,
    // Inlining would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    // The polyfill is an inline script; browsers have module preload since 2023.
    modulePreload: { polyfill: false },
    // For the size check.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A dozen small files would cost more requests and compress worse.
          groups: [{ name: 'base', test: BASE }],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    // For `npm run dev`: the box's paths go to the edge.
    proxy: { '/edge': { target: process.env['EDGE_URL'] ?? 'http://127.0.0.1:4100', ws: true } },
  },
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: fromRoot('src/routes'),
      generatedRouteTree: fromRoot('src/app/routeTree.gen.ts'),
      autoCodeSplitting: true,
      quoteStyle: 'single',
      semicolons: true,
    }),
    react(),
    firstPaint,
    inlineFirstPaint,
    flags,
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '../sw',
      filename: 'sw.ts',
      // src/app registers it and decides about updates.
      injectRegister: false,
      injectManifest: {
        globPatterns: ['**/*.{html,js,mjs,css,woff2,svg,png,webmanifest}', 'reefs/*.json'],
        maximumFileSizeToCacheInBytes: 4 * 1024 * 1024,
      },
      manifest: {
        id: '/',
        name: 'Great Reef Census',
        short_name: 'Reef Census',
        description: 'Photographs of reefs, safe on the tablet, the box aboard and ashore, with a receipt for each.',
        lang: 'en',
        start_url: '/surveys',
        scope: '/',
        display: 'standalone',
        orientation: 'any',
        theme_color: '#02253b',
        background_color: '#f2f7f7',
        categories: ['education', 'photo', 'utilities'],
        shortcuts: [
          {
            name: 'Surveys',
            url: '/surveys',
            icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }],
          },
          {
            name: 'Where are my photographs',
            short_name: 'Photographs',
            url: '/photographs',
            icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }],
          },
          {
            name: 'The box',
            short_name: 'Box',
            url: '/box',
            icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }],
          },
        ],
        screenshots: SCREENSHOTS.filter(({ src }) => existsSync(fromRoot(`public${src}`))),
        icons: [
          { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
          { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
          { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          { src: '/icons/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
        ],
      },
    }),
  ],
});
