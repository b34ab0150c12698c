import { VALIDATION_MESSAGES } from '../messages';

/**
 * Problems with adding an image to a survey, in the words of 1§5; empty if valid.
 *
 * @param present ids of the survey's images
 */
export function imageProblems(image: { readonly id: string }, present: ReadonlySet<string>): string[] {
  return present.has(image.id) ? [VALIDATION_MESSAGES.imageExists] : [];
}
