-- Search columns of the specification's reads, and each document as readers get it, so that a read is one statement that
-- concatenates text. Earlier rows get theirs when the store opens (`shown` is null until then).
ALTER TABLE docs
  ADD COLUMN shown text,
  -- Profile as other people get it.
  ADD COLUMN card text,
  -- Owner.
  ADD COLUMN owner text COLLATE "C",
  -- `YYYY-MM-DD`; empty if the survey has no date.
  ADD COLUMN date text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN region_id text COLLATE "C",
  ADD COLUMN loc_id text COLLATE "C",
  -- In lower case.
  ADD COLUMN email text COLLATE "C",
  -- Visible only to those with a grant.
  ADD COLUMN private boolean NOT NULL DEFAULT false;

CREATE INDEX docs_unshown ON docs (kind) WHERE shown IS NULL;
CREATE INDEX docs_images ON docs (survey_id, doc_id) WHERE kind = 'image' AND NOT deleted;
CREATE INDEX docs_surveys ON docs (date, doc_id) WHERE kind = 'survey' AND NOT deleted;
CREATE INDEX docs_surveys_by_region ON docs (region_id, date, doc_id) WHERE kind = 'survey' AND NOT deleted;
CREATE INDEX docs_surveys_by_loc ON docs (loc_id, date, doc_id) WHERE kind = 'survey' AND NOT deleted;
CREATE INDEX docs_surveys_of ON docs (owner, date, doc_id) WHERE kind = 'survey' AND NOT deleted;
CREATE INDEX docs_analyses_of ON docs (owner, updated_at, doc_id) WHERE kind = 'analysis' AND NOT deleted;
CREATE INDEX docs_emails ON docs (email) WHERE kind = 'profile' AND email IS NOT NULL;

-- Collections that no operation writes yet: regions, map features, datasets, events with their activity, organisations.
CREATE TABLE reference_documents (
  collection text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  doc jsonb NOT NULL,
  region_id text COLLATE "C" GENERATED ALWAYS AS (doc ->> 'regionId') STORED,
  handle text COLLATE "C" GENERATED ALWAYS AS (lower(doc ->> 'handle')) STORED,
  event_id text COLLATE "C" GENERATED ALWAYS AS (doc ->> 'eventId') STORED,
  deleted boolean GENERATED ALWAYS AS (coalesce(doc ->> 'isDeleted', doc ->> 'deleted', 'false') = 'true') STORED,
  starts_at text COLLATE "C" GENERATED ALWAYS AS (coalesce(doc ->> 'timestart', doc ->> 'startDate')) STORED,
  version text COLLATE "C" GENERATED ALWAYS AS (doc ->> 'version') STORED,
  census_years jsonb GENERATED ALWAYS AS (coalesce(doc #> '{meta,censusYears}', '[]')) STORED,
  datasets jsonb GENERATED ALWAYS AS (coalesce(doc #> '{meta,datasets}', '[]')) STORED,
  analysis double precision GENERATED ALWAYS AS (CASE WHEN jsonb_typeof(doc #> '{activity,analysis}') = 'number' THEN (doc #>> '{activity,analysis}')::double precision END) STORED,
  mins double precision GENERATED ALWAYS AS (CASE WHEN jsonb_typeof(doc #> '{activity,mins}') = 'number' THEN (doc #>> '{activity,mins}')::double precision END) STORED,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (collection, id)
);
CREATE INDEX reference_by_region ON reference_documents (collection, region_id, id) WHERE NOT deleted;
CREATE INDEX reference_by_handle ON reference_documents (collection, handle, id) WHERE NOT deleted;
CREATE INDEX reference_by_event ON reference_documents (event_id, collection, analysis DESC NULLS LAST) WHERE event_id IS NOT NULL;
CREATE INDEX reference_features_by_year ON reference_documents USING gin (census_years) WHERE collection = 'features';
CREATE INDEX reference_features_by_dataset ON reference_documents USING gin (datasets) WHERE collection = 'features';
