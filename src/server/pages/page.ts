import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../domain/json';
import { themeCookie, themeNamed, themeOfCookies, type Theme } from '../../domain/theme';
import { html, trustedHtml, type Html } from './html';
import { PAGE_STYLE } from './page-style';

const LOGO = html`<svg viewBox="0 0 40 40" aria-hidden="true" fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><circle cx="20" cy="20" r="18.5" stroke="#4cc5c6"/><path d="M6 25c4-4 8-4 12 0s9 4 15 0" stroke="#fff"/><path d="M20 22V11M20 16l-5-4M20 14l5-4M15 12V8M25 10V7" stroke="#fc8cac"/></svg>`;

/** Theme names as in the app (You, "Screen"). */
const THEME_LABELS: Readonly<Record<Theme, string>> = {
  auto: 'As the device',
  light: 'Light',
  dark: 'Dark',
  deck: 'Deck',
};

export interface PageOptions {
  /** Owner of the page, next to the logo. */
  readonly of?: string;
  readonly theme?: Theme;
  /** Address of the page, if it offers the theme choice. */
  readonly at?: string;
}

/** Plain page without script, for when nothing else works yet. */
export function page(
  title: string,
  body: Html,
  { of = 'Great Reef Census', theme = 'auto', at }: PageOptions = {},
): Html {
  return html`<!doctype html>
<html lang="en"${theme === 'auto' ? '' : html` data-theme="${theme}"`}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Great Reef Census</title><style>${trustedHtml(PAGE_STYLE)}</style></head>
<body><header class="top">${LOGO}<span>${of}</span></header>
<main><h1>${title}</h1>
${body}
${at === undefined ? '' : themeChoice(at, theme)}</main></body>
</html>
`;
}

/** Theme choice as links: without script no other control takes effect at once. */
function themeChoice(at: string, chosen: Theme): Html {
  const links = Object.entries(THEME_LABELS).map(
    ([theme, word]) =>
      html`<li><a href="${at}?theme=${theme}"${theme === chosen ? html` aria-current="true"` : ''}>${word}</a></li>`,
  );
  return html`<footer class="screen"><span id="screen">Screen</span><ul aria-labelledby="screen">${links}</ul></footer>`;
}

/**
 * Theme of a page: from its address (`?theme=deck`, then stored), else as chosen before, here or in the app.
 *
 * @param below the addresses that a choice applies to
 */
export function themeOf(
  { query, headers }: Pick<FastifyRequest, 'query' | 'headers'>,
  reply: FastifyReply,
  below: string,
): Theme {
  const asked = isObject(query) ? themeNamed(query['theme']) : undefined;
  if (asked === undefined) return themeOfCookies(headers.cookie);
  void reply.header('Set-Cookie', themeCookie(asked, below));
  return asked;
}

/** Sends a page that no cache stores. */
export function sendPage(reply: FastifyReply, content: Html, status = 200): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(content.toString());
}
