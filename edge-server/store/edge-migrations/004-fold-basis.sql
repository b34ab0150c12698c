-- Facts next to a fold from which the next operation continues (src/server/ops/document-row.ts): JSON; null in earlier
-- rows, which are folded once more from all their operations. `fold_chars`: size of the fold's live values.
ALTER TABLE docs ADD COLUMN fold_basis TEXT;
ALTER TABLE docs ADD COLUMN fold_chars INTEGER;
CREATE INDEX docs_without_basis ON docs (kind, doc_id) WHERE fold_basis IS NULL;
