-- Outlines of photographs as they were predicted: those of a model by its folder, those of the segmentation without one.
-- A segmentation merges regions by the sizes that outlines may have, so it is another one for each pair of sizes.
CREATE TABLE outlines (
  image_id text COLLATE "C" NOT NULL,
  dir text COLLATE "C" NOT NULL,
  -- Least and greatest size, fractions of the picture.
  min_size double precision NOT NULL,
  max_size double precision NOT NULL,
  -- GeoJSON
  collection text NOT NULL,
  PRIMARY KEY (image_id, dir, min_size, max_size)
);

-- Photographs with outlines, to pick one to label: by region, then priority of the survey (1 goes first), then a value
-- unrelated to time or place.
CREATE TABLE label_pool (
  image_id text COLLATE "C" PRIMARY KEY,
  survey_id text COLLATE "C" NOT NULL,
  region_id text COLLATE "C" NOT NULL,
  priority smallint NOT NULL,
  seed text COLLATE "C" NOT NULL,
  -- People with an analysis of it.
  people integer NOT NULL
);
CREATE INDEX label_pool_of_survey ON label_pool (survey_id);
-- For experts, who go by their own analyses, and for all others.
CREATE INDEX label_pool_by_seed ON label_pool (region_id, priority, seed);
CREATE INDEX label_pool_open ON label_pool (region_id, priority, seed) WHERE people <= 4;

-- Earlier photographs get outlines too: their jobs are queued again, and find their pictures made.
DELETE FROM shared_settings WHERE name = 'pictures.cursor';
