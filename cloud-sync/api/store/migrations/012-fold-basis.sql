-- Facts next to a fold from which the next operation continues (src/server/ops/document-row.ts): JSON; null in earlier
-- rows, which are folded once more from all their operations. `fold_chars`: size of the fold's live values.
ALTER TABLE docs ADD COLUMN fold_basis text;
ALTER TABLE docs ADD COLUMN fold_chars bigint;
