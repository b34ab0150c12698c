-- Words of a profile's name, in lower case and without accents, each after one blank; empty for none. Null in earlier
-- rows until the store opens.
ALTER TABLE docs ADD COLUMN name text COLLATE "C";
CREATE INDEX docs_unnamed ON docs (doc_id) WHERE kind = 'profile' AND name IS NULL;
-- Words by their beginning.
CREATE INDEX docs_names ON docs USING gin (array_to_tsvector(array_remove(string_to_array(name, ' '), ''))) WHERE kind = 'profile' AND name <> '';
