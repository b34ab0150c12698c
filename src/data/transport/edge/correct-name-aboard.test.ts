import { expect, test, vi } from 'vitest';
import type { PersonId } from '../../../domain/ids';
import type { EdgeRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { correctNameAboard } from './correct-name-aboard';

test('a page that ends while it reads the name for the box leaves no unhandled error', async () => {
  const note = vi.fn();
  const store = {
    getMeta: () => Promise.reject(new DOMException('The transaction was aborted.', 'AbortError')),
    host: { log: { note } },
  } as unknown as OpsStore;
  const edge = { origin: 'https://box.local', session: 'session' } as EdgeRow;
  const known = { uid: 'Person0000000001' as PersonId, name: { first: 'Ana', last: 'Reef' }, pending: true };
  await expect(correctNameAboard(store, edge, known)).resolves.toBeUndefined();
  expect(note.mock.calls.map(([level]) => String(level))).toEqual(['info']);
});
