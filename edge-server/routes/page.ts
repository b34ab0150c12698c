import { createHash } from 'node:crypto';

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 1.125rem/1.55 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1.5rem; color: #02253b; background: #f6fbfb; }
  h1, h2 { line-height: 1.2; color: #003556; }
  code, .code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
  .code { font-size: 2rem; letter-spacing: .2em; font-weight: 700; }
  a.button { display: inline-block; padding: .9rem 1.4rem; border-radius: .5rem; background: #003556; color: #fff; text-decoration: none; font-weight: 600; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #00355633; vertical-align: top; }
  figure { margin: 1rem 0; max-width: 16rem; background: #fff; padding: .75rem; border-radius: .5rem; }
  figure svg { width: 100%; height: auto; display: block; }
  @media (prefers-color-scheme: dark) { body { color: #e6f4f4; background: #02253b; } h1, h2 { color: #4cc5c6; } a { color: #4cc5c6; } a.button { background: #4cc5c6; color: #02253b; } th, td { border-color: #4cc5c655; } }
`;

/** The one style element that the content policy lets through, by its hash. */
export const PAGE_STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** A plain page without script, for when nothing else works yet. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`;
}
