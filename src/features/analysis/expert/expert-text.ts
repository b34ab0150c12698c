import type { FormTotal } from '../../../domain/analysis/free-draw/expert-categories';
import { parsePercent } from '../../../domain/analysis/free-draw/expert-categories';

export const formatPercent = (value: number): string => `${Math.round(value * 100) / 100}%`;

/** Message that names the problem of a field and its fix; undefined for a valid field. */
export function fieldError(text: string): string | undefined {
  switch (parsePercent(text).kind) {
    case 'no-number':
      return 'Enter a number.';
    case 'out-of-bounds':
      return 'Enter a number from 0 to 100.';
    default:
      return undefined;
  }
}

export function sumText({ sum, invalidFields }: FormTotal, isBadImage: boolean): string {
  if (isBadImage) return 'Bad image: no percentages are saved with it.';
  if (invalidFields.length > 0)
    return invalidFields.length === 1
      ? 'One field is not a percentage and is not counted.'
      : `${invalidFields.length} fields are not percentages and are not counted.`;
  if (sum > 100) return `${formatPercent(sum - 100)} more than the whole photograph.`;
  if (sum === 100) return 'The whole photograph.';
  if (sum === 0) return 'Nothing entered yet.';
  return `${formatPercent(100 - sum)} still to enter.`;
}
