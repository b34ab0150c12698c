-- Roles that an operation claims for its author (expert, verified …) and that the box confirmed at intake: JSON, null
-- for none. A document has those of the author of its current value. Earlier rows have none: a claimed expert analysis
-- becomes an ordinary one.
ALTER TABLE ops ADD COLUMN author_roles TEXT;
ALTER TABLE docs ADD COLUMN author_roles TEXT;
INSERT INTO counters (name, id, n)
  SELECT 'image.analyses', json_extract(counted, '$[0][1]'), count(*) FROM docs WHERE kind = 'analysis' AND json_extract(counted, '$[0][0]') = 'image.analyses_expert' GROUP BY 2
  ON CONFLICT (name, id) DO UPDATE SET n = n + excluded.n;
DELETE FROM counters WHERE name = 'image.analyses_expert';
UPDATE docs SET counted = replace(counted, '["image.analyses_expert",', '["image.analyses",') WHERE kind = 'analysis';
