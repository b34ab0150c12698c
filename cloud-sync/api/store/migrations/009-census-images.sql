-- What is asked to find a photograph that somebody has not analysed: of which photograph an analysis is, and a value of each
-- photograph that has nothing to do with when or where it came from, to pick one by among a million.
ALTER TABLE docs ADD COLUMN image_id text COLLATE "C";
CREATE INDEX docs_by_seed ON docs (md5(doc_id)) WHERE kind = 'image' AND NOT deleted;
CREATE INDEX docs_analysed ON docs (image_id, owner) WHERE kind = 'analysis' AND NOT deleted;
-- Analyses of before: within a text of JSON a quotation mark is escaped, so this is the member and no words that look like it. What
-- stands in another form is computed anew when the store opens.
UPDATE docs SET image_id = substring(shown FROM '"image":\{[^{}]*"id":"([0-9A-Za-z]{12,19})"') WHERE kind = 'analysis';
UPDATE docs SET shown = NULL WHERE kind = 'analysis' AND image_id IS NULL AND shown LIKE '%"image":{%';
