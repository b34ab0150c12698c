import type { Migration } from './migration';

/**
 * What an operation says that its author is (an expert, verified …) and the box knew of them when it took it in: JSON, null for nothing. A
 * document has it of whoever wrote what is shown.
 */
export const authorRoles: Migration = {
  version: 3,
  sql: `
    ALTER TABLE ops ADD COLUMN author_roles TEXT;
    ALTER TABLE docs ADD COLUMN author_roles TEXT;
  `,
};
