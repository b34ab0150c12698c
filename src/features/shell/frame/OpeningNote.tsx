import { Opening } from './FirstPaint';
import { useTitle } from './use-title';

/** While the data of this tablet is being opened; the same picture as the first paint, so that nothing moves. */
export function OpeningNote() {
  useTitle('');
  return <Opening />;
}
