-- Inputs of the interval and counts of a rubble site; null for surveys counted before, until they are computed again.
ALTER TABLE survey_rubble
  -- Sum of the posterior variances of the photographs' probabilities.
  ADD COLUMN variance double precision,
  ADD COLUMN analysts text[],
  -- Latest version of skill among the photographs.
  ADD COLUMN skill integer;

SELECT note_figure('survey', json_build_array(survey_id)::text, 2::smallint) FROM survey_rubble;
