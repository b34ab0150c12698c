import type { Migration } from './migration';

/**
 * What an operation says that its author is (an expert, verified …) and the box knew of them when it took it in: JSON, null for nothing. A
 * document has it of whoever wrote what is shown. Of what came before nothing is known: what counted as an expert's by its own word is an
 * ordinary analysis.
 */
export const authorRoles: Migration = {
  version: 3,
  sql: `
    ALTER TABLE ops ADD COLUMN author_roles TEXT;
    ALTER TABLE docs ADD COLUMN author_roles TEXT;
    INSERT INTO counters (name, id, n)
      SELECT 'image.analyses', json_extract(counted, '$[0][1]'), count(*) FROM docs WHERE kind = 'analysis' AND json_extract(counted, '$[0][0]') = 'image.analyses_expert' GROUP BY 2
      ON CONFLICT (name, id) DO UPDATE SET n = n + excluded.n;
    DELETE FROM counters WHERE name = 'image.analyses_expert';
    UPDATE docs SET counted = replace(counted, '["image.analyses_expert",', '["image.analyses",') WHERE kind = 'analysis';
  `,
};
