import type { Mail } from './mailer';
import { buildMail } from './build-mail';
import type { MailedCode } from '../sign-in/mailed-codes';

const NOT_REQUESTED =
  'If you did not request this, ignore it: no one can sign in without the code. We never ask for it by mail or telephone.';

/** @param page link to continue; null if the public address is unknown */
export function codeMail(to: string, code: MailedCode, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'Your code for the Great Reef Census',
    code: groupDigits(code),
    lines: [`Type it where you asked for it. ${expiryText(code)}`],
    page,
    small: NOT_REQUESTED,
  });
}

export function resetMail(to: string, code: MailedCode, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'Your code for a new password',
    code: groupDigits(code),
    lines: [
      `With it you choose a new password for the Great Reef Census. Type it where you asked for it. ${expiryText(code)}`,
    ],
    page,
    small:
      'If you did not ask for it, leave it: your password stays as it is. We never ask for the code by mail or telephone.',
  });
}

/** Builds the mail for a password reset at an address without an account. */
export function noAccountMail(to: string, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'No account with this address',
    lines: [
      'A new password for the Great Reef Census was requested with this address, but no account uses it. If it was you, try another of your addresses, or create an account.',
    ],
    page,
    small: 'If it was not you, there is nothing to do.',
  });
}

export function newAddressMail(to: string, code: MailedCode, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'Your code for a new address',
    code: groupDigits(code),
    lines: [
      `With it this becomes the address of your account at the Great Reef Census. Type it where you asked for it. ${expiryText(code)}`,
    ],
    page,
    small:
      'If you did not ask for it, leave it: nothing changes without the code. We never ask for it by mail or telephone.',
  });
}

/** Builds the mail for an address that another account asked for. */
export function addressTakenMail(to: string, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'You have an account with this address',
    lines: [
      'Someone signed in to the Great Reef Census tried to use this address for their account. Another account already has it, so nothing was changed. If it was you, sign in with this address instead; a code by mail is enough.',
    ],
    page,
    small: 'If it was not you, there is nothing to do.',
  });
}

export function passwordChangedMail(to: string, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'Your password was changed',
    lines: ['The password of your account at the Great Reef Census was changed, and all other sign-ins with it ended.'],
    page,
    small: 'If it was not you, sign in with a code by mail and choose a new password at once.',
  });
}

/** @param change sentence about "it", the account */
export function secondFactorMail(to: string, change: string, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'The second step of your account was changed',
    lines: [`This is about your account at the Great Reef Census. ${change}`],
    page,
    small: 'If it was not you, tell another person who runs the census at once: they can end all your sign-ins.',
  });
}

/** Builds the notice to the old address of an account. It does not name the new one. */
export function addressChangedMail(to: string, page: string | null): Mail {
  return buildMail({
    to,
    subject: 'The address of your account was changed',
    lines: ['Your account at the Great Reef Census has another address now. Codes and notices go there from now on.'],
    page,
    small: 'If it was not you, write to the census team at once: they can find the account and return it to you.',
  });
}

function groupDigits({ code }: MailedCode): string {
  return (code.match(/\d{1,3}/g) ?? []).join(' ');
}

function expiryText({ minutes }: MailedCode): string {
  return `It works once, within ${minutes} minutes.`;
}
