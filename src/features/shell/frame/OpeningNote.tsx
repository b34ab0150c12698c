import { Opening } from './FirstPaint';
import { useTitle } from './use-title';

export function OpeningNote() {
  useTitle('');
  return <Opening />;
}
