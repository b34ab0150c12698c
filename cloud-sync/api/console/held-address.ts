import type { QuarantineFilter } from '../../../src/protocol/quarantine';

/** Address of a page of held records. */
export function heldAddress(filter: QuarantineFilter, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...filterFields(filter), ...more }).toString();
  return query === '' ? '/console/held' : `/console/held?${query}`;
}

/** Members of a filter as fields of a form. */
export function filterFields({ kind, reason, submitter, q, dismissed }: QuarantineFilter): Record<string, string> {
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(reason === undefined ? {} : { reason }),
    ...(submitter === undefined ? {} : { submitter }),
    ...(q === undefined ? {} : { q }),
    ...(dismissed === true ? { dismissed: 'true' } : {}),
  };
}
