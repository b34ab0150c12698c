-- Rubble that is computed from photographs, and the numbers of rubble sites.

-- Rubble of each survey in public figures; sites add up from these.
CREATE TABLE survey_rubble (
  survey_id text COLLATE "C" PRIMARY KEY,
  region_id text COLLATE "C" NOT NULL,
  -- Id in `map_sites` (`rubbleProbabilityComputed`).
  site_id text COLLATE "C" NOT NULL,
  photographs integer NOT NULL,
  -- Sum of the photographs' probabilities.
  probability double precision NOT NULL
);
CREATE INDEX survey_rubble_of_site ON survey_rubble (region_id, site_id, survey_id);

-- Number of a site in tiles and in rubble.csv, from 0. A site keeps it for good: tables and tiles come at different times.
CREATE TABLE rubble_numbers (
  region_id text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (region_id, layer, id),
  UNIQUE (region_id, number)
);

-- Photographs counted before know nothing of rubble: they are computed again.
SELECT note_figure('photograph', json_build_array(image_id)::text, 1::smallint) FROM photograph_figures;
