import type { FormTotal } from '../../../domain/analysis/free-draw/expert-categories';
import { parsePercent } from '../../../domain/analysis/free-draw/expert-categories';

export const formatPercent = (value: number): string => `${Math.round(value * 100) / 100}%`;

/** Message that names the problem of a field and its fix; undefined for a valid field. */
export function fieldError(text: string): string | undefined {
  switch (parsePercent(text).kind) {
    case 'no-number':
      return 'Type a number.';
    case 'out-of-bounds':
      return 'From 0 to 100.';
    default:
      return undefined;
  }
}

export function sumText({ sum, invalidFields }: FormTotal, isBadImage: boolean): string {
  if (isBadImage) return 'Bad image: no percentages are saved with it.';
  if (invalidFields.length > 0)
    return invalidFields.length === 1
      ? 'One field holds no percentage and is not counted.'
      : `${invalidFields.length} fields hold no percentage and are not counted.`;
  if (sum > 100) return `${formatPercent(sum - 100)} more than the photograph holds.`;
  if (sum === 100) return 'All of the photograph.';
  if (sum === 0) return 'Nothing typed yet.';
  return `${formatPercent(100 - sum)} of the photograph is not said.`;
}
