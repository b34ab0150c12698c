import { html, type Html } from '../../../../src/server/pages/html';
import type { Mail } from './mailer';

/** Content of a mail. Only the address and a page of our own site come from the requester. */
interface MailText {
  readonly to: string;
  readonly subject: string;
  /** Code, shown large and in groups that can be read aloud. */
  readonly code?: string;
  readonly lines: readonly string[];
  /** Link to continue; null if the public address is unknown. */
  readonly page: string | null;
  /** Action link and its label, shown after the lines. */
  readonly link?: { readonly href: string; readonly text: string };
  /** Small print. */
  readonly small: string;
}

export function buildMail(content: MailText): Mail {
  const { to, subject, code, lines, link, page, small } = content;
  const parts = [
    ...(code === undefined ? [] : [`Your code: ${code}`]),
    ...lines,
    ...(link === undefined ? [] : [link.href]),
    ...(page === null ? [] : [`The census: ${page}`]),
    small,
  ];
  return {
    to,
    subject,
    text: [...parts.flatMap((part) => [part, '']), 'The Great Reef Census', ''].join('\n'),
    html: mailHtml(content).toString(),
  };
}

/** Uses plain tables and inline styles: mail clients support little else. */
function mailHtml({ subject, code, lines, link, page, small }: MailText): Html {
  const large =
    code === undefined
      ? ''
      : html`<p style="margin:0 0 8px;font-size:16px">Your code:</p>\n<p style="margin:0 0 16px;font-size:36px;font-weight:700;letter-spacing:4px">${code}</p>\n`;
  const paragraphs = lines.map((line) => html`<p style="margin:0 0 24px;font-size:16px">${line}</p>\n`);
  const button =
    link === undefined
      ? ''
      : html`<p style="margin:0 0 24px"><a href="${link.href}" style="display:inline-block;padding:16px 24px;background:#003556;color:#ffffff;border-radius:12px;font-size:16px;font-weight:700;text-decoration:none">${link.text}</a></p>\n`;
  const open =
    page === null
      ? ''
      : html`<p style="margin:0 0 24px"><a href="${page}" style="color:#00617f">Open the census</a></p>`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;background:#eaf4f6;font-family:'Work Sans',Arial,sans-serif;color:#02253b">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border-radius:16px"><tr><td style="padding:32px">
<h1 style="margin:0 0 16px;font-size:20px;color:#003556">The Great Reef Census</h1>
${large}${paragraphs}${button}${open}
<p style="margin:0;font-size:14px;color:#3d5a6c">${small}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
