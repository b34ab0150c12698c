import { createHash } from 'node:crypto';

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The app's look in one sheet: paper by day, plotter by night. It holds no address and needs no other file. */
const STYLE = `
  :root { color-scheme: light dark; --bg: #f2f7f7; --surface: #fff; --line: #c3d5da; --line-2: #56788a; --text: #02253b; --text-2: #3b5b6d; --link: #00646e; --primary: #003556; --on-primary: #fff; --sunken: #e3eef0; --wait: #ffeab6; --focus: #a81b4e; --tide: #1d9fa5; }
  @media (prefers-color-scheme: dark) { :root { --bg: #011828; --surface: #02253b; --line: #1d4a63; --line-2: #7fa6b8; --text: #eef8f8; --text-2: #a9c8d4; --link: #6fdcdc; --primary: #4cc5c6; --on-primary: #02253b; --sunken: #011320; --wait: #45391a; --focus: #ffeab6; --tide: #4cc5c6; } }
  * { box-sizing: border-box; margin: 0; }
  body { font: 400 17px/1.45 'Work Sans', system-ui, sans-serif; color: var(--text); background: var(--bg); -webkit-text-size-adjust: 100%; }
  header.top { background: #02253b; color: #cfe4ea; padding: 12px 24px; display: flex; align-items: center; gap: 12px; font-weight: 600; }
  header.top svg { width: 40px; height: 40px; flex: none; }
  main { max-width: 1080px; margin: 0 auto; padding: 24px; display: grid; gap: 16px; }
  h1, h2, h3 { font-family: Poppins, system-ui, sans-serif; letter-spacing: -.01em; line-height: 1.25; text-wrap: balance; }
  h1 { font-size: 32px; font-weight: 500; }
  h2 { font-size: 20px; font-weight: 600; margin-bottom: 8px; }
  a { color: var(--link); }
  a.button, button.button { display: inline-flex; align-items: center; justify-content: center; min-height: 48px; padding: 8px 24px; border-radius: 8px; background: var(--primary); color: var(--on-primary); text-decoration: none; font: inherit; font-weight: 600; text-align: center; border: 0; cursor: pointer; }
  a.line, button.line { background: var(--surface); color: var(--text); border: 1px solid var(--line-2); }
  :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
  form { display: grid; gap: 8px; justify-items: stretch; }
  form.actions { display: flex; }
  label { font-weight: 600; }
  input { min-height: 48px; padding: 8px 12px; font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--line-2); border-radius: 8px; width: 100%; min-width: 0; }
  td ul { list-style: none; padding: 0; display: grid; gap: 8px; }
  .lead { color: var(--text-2); max-width: 68ch; }
  .card { background: var(--surface); border: 1px solid var(--line); border-radius: 16px; padding: 24px; min-width: 0; }
  .wait { background: var(--wait); border-radius: 8px; padding: 12px 16px; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 16px; align-items: start; }
  .side { display: flex; flex-wrap: wrap; gap: 24px; align-items: center; }
  .side > div { flex: 1 1 220px; min-width: 0; }
  .actions { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 16px; }
  figure { background: #fff; padding: 8px; border-radius: 8px; width: 208px; flex: none; }
  figure svg { width: 100%; height: auto; display: block; }
  code, .mono { font-family: ui-monospace, 'Cascadia Mono', Menlo, monospace; overflow-wrap: anywhere; }
  .print { font-size: 18px; line-height: 1.6; word-spacing: .35em; }
  .code { font: 600 32px/1.2 Poppins, system-ui, sans-serif; letter-spacing: .06em; white-space: nowrap; }
  .address { font: 600 20px/1.3 Poppins, system-ui, sans-serif; overflow-wrap: anywhere; }
  .small { font-size: 15px; color: var(--text-2); }
  details { border-top: 1px solid var(--line); }
  details:last-of-type { border-bottom: 1px solid var(--line); }
  summary { min-height: 56px; display: flex; align-items: center; justify-content: space-between; gap: 12px; font-weight: 600; cursor: pointer; list-style: none; }
  summary::-webkit-details-marker { display: none; }
  summary::after { content: '+'; font: 500 24px/1 Poppins, system-ui, sans-serif; }
  details[open] summary::after { content: '\\2013'; }
  details ol, details ul { padding: 0 0 16px 24px; display: grid; gap: 8px; }
  dl { display: grid; }
  dl div { display: flex; justify-content: space-between; gap: 16px; padding: 10px 0; border-top: 1px solid var(--line); }
  dl div:first-child { border: 0; }
  dt { color: var(--text-2); }
  dd { font-weight: 600; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; min-width: 0; }
  meter { width: 100%; height: 24px; display: block; margin: 8px 0; appearance: none; border: 2px solid var(--text); border-radius: 8px; background: var(--surface); overflow: hidden; }
  meter::-webkit-meter-inner-element { display: block; height: 20px; }
  meter::-webkit-meter-bar { display: block; background: none; border: 0; border-radius: 0; height: 20px; }
  meter::-webkit-meter-optimum-value { background: var(--tide); height: 20px; }
  meter::-webkit-meter-suboptimum-value, meter::-webkit-meter-even-less-good-value { background: #fc8cac; height: 20px; }
  meter::-moz-meter-bar { background: var(--tide); }
  .card form + .small, .card p + p, .card p + .small, details + .small { margin-top: 8px; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: 12px 16px 12px 0; border-top: 1px solid var(--line); vertical-align: top; font-variant-numeric: tabular-nums; }
  thead td { border: 0; }
  thead th { border: 0; font-size: 15px; color: var(--text-2); font-weight: 500; white-space: nowrap; }
  @media (max-width: 700px) { main { padding: 16px; } header.top { padding: 8px 16px; } .card { padding: 16px; } h1 { font-size: 24px; } .actions a, .actions button { flex: 1 1 100%; } }
`;

const MARK =
  '<svg viewBox="0 0 40 40" aria-hidden="true" fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><circle cx="20" cy="20" r="18.5" stroke="#4cc5c6"/><path d="M6 25c4-4 8-4 12 0s9 4 15 0" stroke="#fff"/><path d="M20 22V11M20 16l-5-4M20 14l5-4M15 12V8M25 10V7" stroke="#fc8cac"/></svg>';

/** The one style element that the content policy lets through, by its hash. */
export const PAGE_STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * A plain page without script, for when nothing else works yet.
 *
 * @param body HTML, everything that came from elsewhere escaped
 * @param of whose page it is, beside the mark
 */
export function page(title: string, body: string, of = 'Great Reef Census'): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)} · Great Reef Census</title><style>${STYLE}</style></head>
<body><header class="top">${MARK}<span>${escapeHtml(of)}</span></header>
<main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`;
}
