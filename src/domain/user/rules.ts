import { isObject } from '../json';
import { VALIDATION_MESSAGES } from '../messages';

/** "email must look like {email}" (1§5), as loosely as sign-up does: something, an at sign, something, a dot, something (2§5). */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** True for a text that looks like an address; white space around it is not counted. */
export function isEmail(text: string): boolean {
  return EMAIL_PATTERN.test(text.trim());
}

/** Signs that take no ink: white space, control and format characters, fillers. Inside a name some of them have a meaning. */
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]+/gu;

/** True for a text of which nothing can be seen. */
export function isBlank(text: string): boolean {
  return text.replace(INVISIBLE, '') === '';
}

/**
 * What is wrong with a person's record, in the words of 1§5; an empty list for nothing.
 *
 * @param uid the id it would be stored under
 * @param data the record itself; null or undefined where there is none
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
