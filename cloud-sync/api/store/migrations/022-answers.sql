-- Analyses of a photograph, deleted ones included: their order of arrival gives analysts their letters.
CREATE INDEX docs_answers ON docs (image_id, owner) WHERE kind = 'analysis';
DROP INDEX docs_analysed;
