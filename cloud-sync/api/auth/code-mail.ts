import type { Mail } from '../services/mail';
import { AUTH_LIMITS } from './limits';

/**
 * The mail with a login code. Nothing in it comes from whoever asked, but for the address and a page of our own site.
 *
 * @param page where the person goes on; null where the service does not know its public address
 */
export function codeMail(to: string, code: string, page: string | null): Mail {
  const minutes = AUTH_LIMITS.codeLifeMs / 60_000;
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
  const good = `It is good for ${minutes} minutes, and once.`;
  const other = 'If you did not ask for it, leave it: without the code nobody gets in. We never ask for it by mail or telephone.';
  return {
    to,
    subject: 'Your code for the Great Reef Census',
    text: [`Your code: ${spaced}`, '', `Type it where you asked for it. ${good}`, ...(page === null ? [] : ['', `The census: ${page}`]), '', other, '', 'The Great Reef Census', ''].join('\n'),
    html: html(spaced, good, page, other),
  };
}

/** Plain tables and inline styles: mail programs know little else. */
function html(code: string, good: string, page: string | null, other: string): string {
  const link = page === null ? '' : `<p style="margin:0 0 24px"><a href="${escape(page)}" style="color:#00617f">Open the census</a></p>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Your code for the Great Reef Census</title></head>
<body style="margin:0;background:#eaf4f6;font-family:'Work Sans',Arial,sans-serif;color:#02253b">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border-radius:16px"><tr><td style="padding:32px">
<h1 style="margin:0 0 16px;font-size:20px;color:#003556">The Great Reef Census</h1>
<p style="margin:0 0 8px;font-size:16px">Your code:</p>
<p style="margin:0 0 16px;font-size:36px;font-weight:700;letter-spacing:4px">${escape(code)}</p>
<p style="margin:0 0 24px;font-size:16px">Type it where you asked for it. ${escape(good)}</p>
${link}
<p style="margin:0;font-size:14px;color:#3d5a6c">${escape(other)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
