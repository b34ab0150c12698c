import { createHash } from 'node:crypto';
import { FONT_FACES } from './page-fonts';

const LIGHT = `color-scheme: light; --bg: #f2f7f7; --surface: #fff; --line: #c3d5da; --line-2: #56788a; --text: #02253b; --text-2: #3b5b6d; --link: #00646e; --primary: #003556; --on-primary: #fff; --sunken: #e3eef0; --good: #d3f1f0; --wait: #ffeab6; --look: #ffe6ed; --mark: #a81b4e; --focus: #1c3fc4; --tide: #1d9fa5; --over: #fc8cac; --top: #02253b;
  --t: 17px; --t-small: 15px; --t-lead: 17px; --w: 400; --w-strong: 600; --target: 48px; --gap: 8px; --line-w: 1px; --focus-w: 3px; --r: 8px;`;
const DARK = `color-scheme: dark; --bg: #011828; --surface: #02253b; --line: #1d4a63; --line-2: #7fa6b8; --text: #eef8f8; --text-2: #a9c8d4; --link: #6fdcdc; --primary: #4cc5c6; --on-primary: #02253b; --sunken: #011320; --good: #0b4257; --wait: #45391a; --look: #45243e; --mark: #ffb3c8; --focus: #ffeab6; --tide: #4cc5c6; --over: #fc8cac; --top: #011320;`;
const DECK = `color-scheme: light; --bg: #fff; --surface: #fff; --line: #02253b; --line-2: #001824; --text: #001824; --text-2: #0b3347; --link: #003546; --primary: #00263d; --on-primary: #fff; --sunken: #fff3d0; --good: #c9f7f4; --wait: #ffd95e; --look: #ffe1ea; --mark: #66002a; --focus: #0b2fb0; --tide: #6fe6e2; --over: #ffb0c6; --top: #001824;
  --t: 20px; --t-small: 17px; --t-lead: 20px; --w: 500; --w-strong: 700; --target: 64px; --gap: 16px; --line-w: 2px; --focus-w: 5px; --r: 10px;`;

/**
 * The app's look in one sheet: light, dark, and deck for sun and wet hands, with the values of `src/ui/tokens.css`. It
 * needs no other file but the app's fonts.
 */
export const PAGE_STYLE = `
  ${FONT_FACES}
  :root { ${LIGHT} }
  @media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${DARK} } }
  :root[data-theme='dark'] { ${DARK} }
  :root[data-theme='deck'] { ${DECK} }
  * { box-sizing: border-box; margin: 0; }
  body { font: var(--w) var(--t)/1.45 'Work Sans', system-ui, sans-serif; color: var(--text); background: var(--bg); -webkit-text-size-adjust: 100%; }
  header.top { background: var(--top); color: #cfe4ea; padding: 12px 24px; display: flex; align-items: center; gap: 12px; font-weight: 600; }
  header.top svg { width: 40px; height: 40px; flex: none; }
  main { max-width: 1240px; margin: 0 auto; padding: 24px; display: grid; gap: 16px; }
  main > * { min-width: 0; }
  h1, h2, h3 { font-family: Poppins, system-ui, sans-serif; letter-spacing: -.01em; line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
  h1 { font-size: 32px; font-weight: 500; }
  h2 { font-size: 20px; font-weight: 600; margin-bottom: 8px; }
  h3 { font-size: 18px; font-weight: 600; margin: 16px 0 8px; }
  b { font-weight: var(--w-strong); }
  a { color: var(--link); }
  a.button, button.button { display: inline-flex; align-items: center; justify-content: center; min-height: var(--target); padding: 8px 24px; border-radius: var(--r); background: var(--primary); color: var(--on-primary); text-decoration: none; font: inherit; font-weight: var(--w-strong); text-align: center; border: 0; cursor: pointer; }
  a.line, button.line { background: var(--surface); color: var(--text); border: max(1px, var(--line-w)) solid var(--line-2); }
  a.button:active, button.button:active { transform: translateY(1px); }
  :focus-visible { outline: var(--focus-w) solid var(--focus); outline-offset: 2px; }
  form { display: grid; gap: var(--gap); justify-items: stretch; }
  form.actions { display: flex; }
  label { font-weight: var(--w-strong); }
  input { min-height: var(--target); padding: 8px 12px; font: inherit; color: var(--text); background: var(--surface); border: max(1px, var(--line-w)) solid var(--line-2); border-radius: var(--r); width: 100%; min-width: 0; }
  label:has(> input[type=checkbox]) { display: inline-flex; align-items: center; gap: var(--gap); min-height: var(--target); }
  input[type=checkbox] { flex: none; width: calc(var(--target) / 2); padding: 0; accent-color: var(--primary); }
  input[type=file] { padding: 0 12px 0 0; }
  ::file-selector-button { min-height: calc(var(--target) - 2 * max(1px, var(--line-w))); margin: 0 12px 0 0; padding: 8px 16px; font: inherit; font-weight: var(--w-strong); color: var(--text); background: var(--sunken); border: 0; border-right: max(1px, var(--line-w)) solid var(--line-2); cursor: pointer; }
  .lead { color: var(--text-2); max-width: 68ch; font-size: var(--t-lead); }
  .first { display: flex; flex-wrap: wrap; gap: 12px 24px; align-items: center; justify-content: space-between; }
  .first .lead { flex: 1 1 340px; max-width: 84ch; }
  .card { background: var(--surface); border: var(--line-w) solid var(--line); border-radius: 16px; padding: 24px; min-width: 0; }
  .note { display: flex; gap: 12px; align-items: flex-start; background: var(--wait); border-radius: var(--r); padding: 12px 16px; }
  .note svg { width: 24px; height: 24px; flex: none; }
  .note > div { min-width: 0; overflow-wrap: anywhere; }
  .note.good { background: var(--good); }
  .note.look { background: var(--look); }
  :root[data-theme='deck'] .note { border: 2px solid var(--line); }
  .notes { list-style: none; padding: 0; display: grid; gap: 8px; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 16px; }
  .side { display: flex; flex-wrap: wrap; gap: 24px; align-items: center; }
  .side > div { flex: 1 1 220px; min-width: 0; }
  .actions { display: flex; flex-wrap: wrap; gap: max(12px, var(--gap)); margin-top: 16px; }
  figure { background: #fff; padding: 8px; border-radius: 8px; width: 208px; flex: none; }
  figure svg { width: 100%; height: auto; display: block; }
  code, .mono { font-family: ui-monospace, 'Cascadia Mono', Menlo, monospace; overflow-wrap: anywhere; }
  pre { padding-bottom: 16px; white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, 'Cascadia Mono', Menlo, monospace; font-weight: 400; }
  .address.mono { font-family: ui-monospace, 'Cascadia Mono', Menlo, monospace; font-weight: 500; letter-spacing: 0; }
  .codes { list-style: none; padding: 0; margin-top: 12px; display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 8px 24px; }
  .print { font-size: 18px; line-height: 1.6; word-spacing: .35em; }
  .code { font: 600 32px/1.2 Poppins, system-ui, sans-serif; letter-spacing: .06em; white-space: nowrap; }
  .figure { font: 500 32px/1.2 Poppins, system-ui, sans-serif; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  .figure + p { margin-top: 4px; }
  .address { font: 600 20px/1.3 Poppins, system-ui, sans-serif; overflow-wrap: anywhere; }
  .small { font-size: var(--t-small); color: var(--text-2); }
  details { border-top: var(--line-w) solid var(--line); }
  details:last-of-type { border-bottom: var(--line-w) solid var(--line); }
  th > details:last-of-type { border-bottom: 0; }
  summary { min-height: max(56px, var(--target)); display: flex; align-items: center; justify-content: space-between; gap: 12px; font-weight: var(--w-strong); cursor: pointer; list-style: none; }
  summary::-webkit-details-marker { display: none; }
  summary::after { content: '+'; font: 500 24px/1 Poppins, system-ui, sans-serif; }
  details[open] summary::after { content: '\\2013'; }
  details ol, details ul { padding: 0 0 16px 24px; display: grid; gap: 8px; }
  details > p, details > dl { padding-bottom: 16px; }
  dl { display: grid; }
  dl div { display: flex; justify-content: space-between; gap: 16px; padding: 10px 0; border-top: var(--line-w) solid var(--line); }
  dl div:first-child { border: 0; }
  dt { color: var(--text-2); flex: 1 1 30%; min-width: 0; }
  dd { font-weight: var(--w-strong); text-align: right; overflow-wrap: break-word; font-variant-numeric: tabular-nums; min-width: 0; max-width: 70%; flex: 0 1 auto; }
  .two > dl { grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); column-gap: 64px; border-top: var(--line-w) solid var(--line); margin-top: -1px; }
  .two > dl div { border-top: 0; border-bottom: var(--line-w) solid var(--line); }
  .two > dl div:last-child { border-bottom: var(--line-w) solid var(--line); }
  .two > dl + details { border-top: 0; }
  .bar { width: 100%; height: 28px; display: block; margin: 12px 0 8px; border: 2px solid var(--text); border-radius: 8px; background: var(--surface); }
  .bar .fill { fill: var(--tide); }
  .bar.over .fill { fill: var(--over); }
  .bar .limit { stroke: var(--mark); stroke-width: 4; stroke-dasharray: 6 4; vector-effect: non-scaling-stroke; }
  .card form + .small, .card p + p, .card p + .small, .card .small + form, .card dl + .small, .card .small + .scroll, .card .scroll + .small, details + .small, form + details { margin-top: 8px; }
  .card .actions { margin-top: 16px; }
  .card .note { margin: 8px 0; }
  .scroll { overflow-x: auto; }
  .pictures { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr)); gap: 16px; }
  .pictures img { width: 100%; height: auto; aspect-ratio: 4 / 3; object-fit: cover; border-radius: 8px; background: var(--sunken); display: block; margin-bottom: 4px; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: 12px 16px 12px 0; border-top: var(--line-w) solid var(--line); vertical-align: top; font-variant-numeric: tabular-nums; }
  th:last-child, td:last-child { padding-right: 0; }
  td.count, th.count { text-align: right; padding-left: 16px; }
  td.count { white-space: nowrap; }
  tbody th { font-weight: inherit; min-width: 12ch; overflow-wrap: anywhere; }
  thead td { border: 0; }
  thead th { border: 0; padding-top: 0; font-size: var(--t-small); color: var(--text-2); font-weight: 500; vertical-align: bottom; }
  td .notes { min-width: 18ch; }
  td .notes { gap: 6px; }
  .card td .note { padding: 0; margin: 0; gap: 8px; background: none; border: 0; }
  .card td .note.look svg { color: var(--mark); }
  td.short { white-space: nowrap; }
  td details, td details:last-of-type { border: 0; }
  td summary { min-height: var(--target); justify-content: flex-start; font-size: var(--t-small); text-decoration: underline; }
  td summary::after { content: none !important; }
  td dl div { padding: 4px 0; font-size: var(--t-small); }
  td dd { font-weight: inherit; }
  footer.screen { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding-top: 8px; }
  footer.screen ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: var(--gap); }
  footer.screen a { display: inline-flex; align-items: center; justify-content: center; min-height: var(--target); padding: 8px 16px; border: max(1px, var(--line-w)) solid var(--line-2); border-radius: var(--r); color: var(--text); text-decoration: none; font-weight: var(--w-strong); }
  footer.screen a[aria-current] { background: var(--primary); color: var(--on-primary); border-color: var(--primary); }
  footer.screen a[aria-current]::before { content: '\\2713\\00a0'; content: '\\2713\\00a0' / ''; }
  @media (max-width: 760px) {
    main { padding: 16px; } header.top { padding: 8px 16px; } .card { padding: 16px; } h1 { font-size: 26px; } .actions a, .actions button { flex: 1 1 100%; }
    footer.screen ul { display: grid; grid-template-columns: 1fr 1fr; width: 100%; }
    footer.screen a { width: 100%; height: 100%; text-align: center; }
    .first .button { flex: 1 1 100%; }
    /* A table that a phone has no room for stands as one card for each row, every value beside its name. */
    table, tbody, tr, tbody th, tbody td { display: block; width: 100%; }
    thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    tr { border-top: var(--line-w) solid var(--line); padding: 12px 0; }
    tbody tr:first-child { border-top: 0; padding-top: 0; }
    tbody tr:last-child { padding-bottom: 0; }
    tbody th, tbody td { border: 0; padding: 4px 0; }
    tbody td[data-of] { display: flex; justify-content: space-between; gap: 16px; text-align: right; white-space: normal; }
    tbody td[data-of]::before { content: attr(data-of); content: attr(data-of) / ''; color: var(--text-2); text-align: left; flex: none; max-width: 45%; }
    tbody td[data-of].count { padding-left: 0; }
    tbody td[data-of].count::before { max-width: none; flex: 1 1 auto; }
    tbody td[data-of].wide { display: block; text-align: left; }
    tbody td.wide::before { display: block; max-width: none; margin-bottom: 4px; }
    td form, td .button { width: 100%; }
  }
`;

/** Hash of the one style element that the content policy allows. */
export const PAGE_STYLE_SOURCE = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`;
