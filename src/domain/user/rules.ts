import { isObject } from '../json';
import { VALIDATION_MESSAGES } from '../messages';

/** "email must look like {email}" (1§5), as loosely as sign-up (2§5): text, at sign, text, dot, text. */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** True if a text looks like an email address; surrounding white space is ignored. */
export function isEmail(text: string): boolean {
  return EMAIL_PATTERN.test(text.trim());
}

/** Invisible characters: white space, control and format characters, fillers. Some are meaningful inside a name. */
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]+/gu;

/** True if a text has no visible character. */
export function isBlank(text: string): boolean {
  return text.replace(INVISIBLE, '') === '';
}

/**
 * Problems of a person's record in the words of 1§5; empty if valid.
 *
 * @param uid id of the record
 * @param data record; null or undefined if absent
 */
export function userProblems(
  uid: string | null | undefined,
  data: { readonly name?: unknown; readonly email?: unknown } | null | undefined,
): string[] {
  const problems: string[] = [];
  if (!uid) problems.push(VALIDATION_MESSAGES.userIdRequired);
  if (!isObject(data)) return [...problems, VALIDATION_MESSAGES.userDataRequired];
  const { name, email } = data;
  if (isObject(name) && (typeof name['first'] !== 'string' || isBlank(name['first'])))
    problems.push(VALIDATION_MESSAGES.firstNameRequired);
  if (email !== undefined && email !== null && (typeof email !== 'string' || !isEmail(email)))
    problems.push(VALIDATION_MESSAGES.emailInvalid);
  return problems;
}

/** 2§5: sign-up is valid with a first name and an email that matches; the last name is optional. */
export function canSignUp(form: { readonly firstName: string; readonly email: string }): boolean {
  return !isBlank(form.firstName) && isEmail(form.email);
}
