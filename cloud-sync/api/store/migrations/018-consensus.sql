-- Figures of the census: consensus of photographs, and the results of surveys, reefs, datasets and regions.

-- What has to be computed again, least `rank` first. Whoever computes a row deletes it in the transaction that stores
-- the figure, and only if `stamp` is still the one read before its inputs: a later change sets another.
CREATE SEQUENCE figure_stamps AS bigint;
CREATE TABLE figures_changed (
  -- 'photograph', 'survey', 'region' (spread between surveys), 'release', 'reef', 'dataset', 'publication'
  kind text COLLATE "C" NOT NULL,
  -- JSON list: [imageId], [surveyId], [regionId], [], [regionId, datasetId, featureId], [regionId, datasetId], [regionId]
  key text COLLATE "C" NOT NULL,
  rank smallint NOT NULL,
  stamp bigint NOT NULL DEFAULT nextval('figure_stamps'),
  -- Started computations that did not end.
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (kind, key)
);
CREATE INDEX figures_changed_by_rank ON figures_changed (rank, stamp);

-- Photographs whose computation ended its thread too often; not tried again until one of its analyses changes or staff ask.
CREATE TABLE broken_figures (
  image_id text COLLATE "C" PRIMARY KEY,
  why text NOT NULL,
  broke_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE photograph_figures (
  image_id text COLLATE "C" PRIMARY KEY,
  survey_id text COLLATE "C" NOT NULL,
  skill integer NOT NULL,
  -- PhotographFigure, JSON
  figure text NOT NULL,
  -- Places with their posteriors, and analyses that cannot be read: JSON
  detail text NOT NULL,
  -- AnswerSheet, JSON: what skill is estimated from.
  sheet text NOT NULL,
  -- Analysts whose latest analysis counts.
  people integer NOT NULL,
  has_expert boolean NOT NULL,
  bad boolean NOT NULL
);
CREATE INDEX photograph_figures_of_survey ON photograph_figures (survey_id, image_id);
CREATE INDEX photograph_figures_of_experts ON photograph_figures (image_id) WHERE has_expert;

-- Skill of the analysts. Version 0 is nobody's: all analysts are alike.
CREATE TABLE skill_versions (
  version integer PRIMARY KEY,
  sha256 text COLLATE "C" NOT NULL,
  -- SkillModel, JSON
  model text NOT NULL,
  analysts integer NOT NULL,
  photographs integer NOT NULL,
  renewed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE analyst_skills (
  version integer NOT NULL REFERENCES skill_versions ON DELETE CASCADE,
  person text COLLATE "C" NOT NULL,
  -- Confusion matrix, JSON
  confusion text NOT NULL,
  PRIMARY KEY (version, person)
);

-- Surveys in public figures: neither deleted nor private, nor of a demo. `feature_id` null: without a position.
CREATE TABLE survey_figures (
  survey_id text COLLATE "C" PRIMARY KEY,
  region_id text COLLATE "C" NOT NULL,
  feature_id text COLLATE "C",
  dataset_ids text[] NOT NULL,
  -- SurveyEstimate, JSON
  figure text NOT NULL
);
CREATE INDEX survey_figures_by_region ON survey_figures (region_id, survey_id);
CREATE INDEX survey_figures_by_feature ON survey_figures (feature_id, survey_id) WHERE feature_id IS NOT NULL;
CREATE INDEX survey_figures_by_dataset ON survey_figures USING gin (dataset_ids);

-- Spread between the surveys of a reef, pooled over its region; renewed with the skill, so that one analysis moves one reef.
CREATE TABLE region_spreads (
  region_id text COLLATE "C" PRIMARY KEY,
  -- PooledSpread, JSON
  spread text NOT NULL
);

CREATE TABLE reef_results (
  region_id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  feature_id text COLLATE "C" NOT NULL,
  -- ReefResult, JSON
  result text NOT NULL,
  release integer,
  PRIMARY KEY (region_id, dataset_id, feature_id)
);
CREATE INDEX reef_results_of_feature ON reef_results (region_id, feature_id);

CREATE TABLE dataset_figures (
  region_id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  figure text NOT NULL,
  PRIMARY KEY (region_id, dataset_id)
);

-- Time of the last change of a public figure.
CREATE TABLE region_figures (
  region_id text COLLATE "C" PRIMARY KEY,
  changed_at timestamptz NOT NULL
);

-- Photographs in the order in which they were first offered for analysis; batch by batch.
CREATE TABLE offered_photographs (
  image_id text COLLATE "C" PRIMARY KEY,
  number integer NOT NULL UNIQUE,
  batch integer NOT NULL,
  seed text COLLATE "C" NOT NULL,
  -- False while its survey is private, or it or its survey is deleted.
  is_open boolean NOT NULL,
  people integer NOT NULL,
  has_expert boolean NOT NULL,
  -- Analysed five times, or likelier bad than not after two answers.
  retired boolean NOT NULL
);
CREATE INDEX offered_photographs_waiting ON offered_photographs (batch, seed) WHERE is_open AND NOT retired;
CREATE INDEX offered_photographs_of_experts ON offered_photographs (seed) WHERE is_open AND has_expert;

-- Batches in which each photograph was settled; their rows are public files, frozen.
CREATE TABLE releases (
  number integer PRIMARY KEY,
  batch integer NOT NULL UNIQUE,
  skill integer NOT NULL,
  pipeline integer NOT NULL,
  released_at timestamptz NOT NULL DEFAULT now()
);

-- Changes that the feed does not have. An upsert keeps the least rank; a new stamp makes a running computation start again.
CREATE FUNCTION note_figure(what text, changed text, place smallint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO figures_changed AS f (kind, key, rank) VALUES (what, changed, place)
  ON CONFLICT (kind, key) DO UPDATE SET stamp = excluded.stamp, rank = least(f.rank, excluded.rank), attempts = 0, not_before = '-infinity'
$$;
CREATE FUNCTION note_outlines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_figure('photograph', json_build_array(NEW.image_id)::text, 0::smallint);
  RETURN NULL;
END $$;
CREATE TRIGGER outlines_noted AFTER INSERT OR UPDATE ON outlines FOR EACH ROW EXECUTE FUNCTION note_outlines();
CREATE FUNCTION note_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' OR OLD IS DISTINCT FROM NEW THEN
    PERFORM note_figure('survey', json_build_array(coalesce(NEW.survey_id, OLD.survey_id))::text, 2::smallint);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER places_noted AFTER INSERT OR UPDATE OR DELETE ON survey_places FOR EACH ROW EXECUTE FUNCTION note_place();
-- A dataset's census year follows its dates.
CREATE FUNCTION note_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_figure('dataset', json_build_array(coalesce(NEW.region_id, OLD.region_id), coalesce(NEW.doc ->> 'id', OLD.doc ->> 'id', OLD.id))::text, 6::smallint);
  RETURN NULL;
END $$;
CREATE TRIGGER datasets_noted AFTER UPDATE OR DELETE ON reference_documents FOR EACH ROW WHEN (OLD.collection = 'datasets') EXECUTE FUNCTION note_dataset();
-- What a document belonged to before.
CREATE FUNCTION note_former() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind = 'analysis' AND OLD.image_id IS NOT NULL THEN
    PERFORM note_figure('photograph', json_build_array(OLD.image_id)::text, 0::smallint);
  ELSIF OLD.kind = 'image' AND OLD.survey_id IS NOT NULL THEN
    PERFORM note_figure('survey', json_build_array(OLD.survey_id)::text, 2::smallint);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER former_noted AFTER UPDATE ON docs FOR EACH ROW
  WHEN ((OLD.kind = 'analysis' AND OLD.image_id IS DISTINCT FROM NEW.image_id) OR (OLD.kind = 'image' AND OLD.survey_id IS DISTINCT FROM NEW.survey_id))
  EXECUTE FUNCTION note_former();
