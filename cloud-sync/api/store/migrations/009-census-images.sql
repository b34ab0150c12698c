-- What is asked to find a photograph that somebody has not analysed: of which photograph an analysis is, and a value of each
-- photograph that has nothing to do with when or where it came from, to pick one by among a million.
ALTER TABLE docs ADD COLUMN image_id text COLLATE "C";
CREATE INDEX docs_by_seed ON docs (md5(doc_id)) WHERE kind = 'image' AND NOT deleted;
CREATE INDEX docs_analysed ON docs (image_id, owner) WHERE kind = 'analysis' AND NOT deleted;
-- Analyses of before say of which photograph they are when the store opens.
UPDATE docs SET shown = NULL WHERE kind = 'analysis';
