-- What the interval of a rubble site and its counts are computed from.
ALTER TABLE survey_rubble
  -- Sum of the posterior variances of the photographs' probabilities.
  ADD COLUMN variance double precision NOT NULL DEFAULT 0,
  ADD COLUMN analysts text[] NOT NULL DEFAULT '{}',
  -- Latest version of skill among the photographs.
  ADD COLUMN skill integer NOT NULL DEFAULT 0;

-- Surveys counted before have none of it: they are computed again.
SELECT note_figure('survey', json_build_array(survey_id)::text, 2::smallint) FROM survey_rubble;
