import type { Mail } from './mailer';
import { AUTH_LIMITS } from '../auth-limits';
import { buildMail } from './build-mail';

/** @param link made by `signInLinkUrl` */
export function linkMail(to: string, link: string): Mail {
  const minutes = AUTH_LIMITS.linkLifeMs / 60_000;
  return buildMail({
    to,
    subject: 'Your sign-in link for the Great Reef Census',
    lines: [
      `Open this link on the tablet or computer where you asked for it. It works once, within ${minutes} minutes.`,
    ],
    link: { href: link, text: 'Sign in' },
    page: null,
    small: 'If you did not ask for it, leave it: only who opens it gets in. We never ask for it by mail or telephone.',
  });
}
