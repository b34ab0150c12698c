import { VALIDATION_MESSAGES } from '../messages';

/**
 * What is wrong with adding an image to a survey, in the words of 1§5; an empty list for nothing.
 *
 * @param present the ids of the images that the survey holds
 */
export function imageProblems(image: { readonly id: string }, present: ReadonlySet<string>): string[] {
  return present.has(image.id) ? [VALIDATION_MESSAGES.imageExists] : [];
}

/** The part of a display path after its last slash of either kind; never used as a path anywhere. */
export function displayName(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return name === '' ? path : name;
}
