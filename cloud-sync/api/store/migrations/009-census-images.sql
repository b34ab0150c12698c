-- Columns to find a photograph that a person has not analysed: the photograph of an analysis, and a value of each
-- photograph, unrelated to its time or place, to pick one among a million.
ALTER TABLE docs ADD COLUMN image_id text COLLATE "C";
CREATE INDEX docs_by_seed ON docs (md5(doc_id)) WHERE kind = 'image' AND NOT deleted;
CREATE INDEX docs_analysed ON docs (image_id, owner) WHERE kind = 'analysis' AND NOT deleted;
-- Earlier analyses: within JSON text a quotation mark is escaped, so this matches the member and no similar text. Other
-- forms are recomputed when the store opens.
UPDATE docs SET image_id = substring(shown FROM '"image":\{[^{}]*"id":"([0-9A-Za-z]{12,19})"') WHERE kind = 'analysis';
UPDATE docs SET shown = NULL WHERE kind = 'analysis' AND image_id IS NULL AND shown LIKE '%"image":{%';
