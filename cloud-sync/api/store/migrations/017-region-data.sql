-- Map of each region. What staff import is stored apart from what is computed over it, so that each is renewed alone.

-- Features of a region (1§3 "Map feature").
CREATE TABLE map_features (
  region_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Numeric id in tiles and in the feature table, from 0. A feature keeps it for good: packs taken along have old tiles.
  row_number integer NOT NULL,
  -- Chart number, such as 16-071; empty if the source has none.
  gid text NOT NULL,
  -- Empty for a feature without a name.
  name text NOT NULL,
  type text NOT NULL,
  -- Point inside the feature, degrees.
  longitude double precision NOT NULL,
  latitude double precision NOT NULL,
  -- West, south, east, north, degrees; west > east crosses the 180th meridian.
  bounds double precision[] NOT NULL CHECK (cardinality(bounds) = 4),
  -- GeoJSON geometry: mended, parts split at the 180th meridian; null for a feature that is a point alone.
  geometry text,
  -- GeoJSON geometry as the source has it.
  original_geometry text,
  -- Properties of the source.
  imported jsonb NOT NULL,
  -- Not in the latest import.
  deleted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (region_id, id),
  UNIQUE (region_id, row_number)
);
CREATE INDEX map_features_by_id ON map_features (id, region_id);

-- Layers of a region's map: one row a layer that was imported.
CREATE TABLE map_layers (
  region_id text COLLATE "C" NOT NULL,
  -- Key of the layer (`LayerKey`; outlines are `surveyedReefs`), or `raster-<name>`.
  layer text COLLATE "C" NOT NULL,
  attribution text NOT NULL,
  bounds double precision[] NOT NULL CHECK (cardinality(bounds) = 4),
  entries integer NOT NULL,
  -- Picture of a raster; null for other layers.
  raster bytea,
  media_type text,
  imported_at timestamptz NOT NULL,
  PRIMARY KEY (region_id, layer)
);

-- Zones, sites and reefs of the layers: what is neither outline nor raster. `rubbleProbabilityComputed` has the sites that
-- are computed from photographs.
CREATE TABLE map_sites (
  region_id text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Facts of the source; `featureId` if the row lies on a feature.
  properties jsonb NOT NULL,
  longitude double precision NOT NULL,
  latitude double precision NOT NULL,
  -- GeoJSON geometry of an area; null for a point.
  geometry text,
  PRIMARY KEY (region_id, layer, id)
);

-- Report of each import, with what was left out and why.
CREATE TABLE map_imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  region_id text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  by text NOT NULL,
  report jsonb NOT NULL
);
CREATE INDEX map_imports_by_region ON map_imports (region_id, id);

-- Surveys and features that staff linked to a dataset.
CREATE TABLE dataset_links (
  -- Ids of datasets are unique within a region.
  region_id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('survey', 'feature')),
  id text COLLATE "C" NOT NULL,
  by text NOT NULL,
  PRIMARY KEY (region_id, dataset_id, kind, id)
);
CREATE INDEX dataset_links_of ON dataset_links (kind, id);

-- Counts of a dataset, of public surveys alone.
CREATE TABLE dataset_stats (
  region_id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  surveys integer NOT NULL,
  images integer NOT NULL,
  reefs integer NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (region_id, dataset_id)
);

-- Feature and datasets of each survey, kept by the feed.
CREATE TABLE survey_places (
  survey_id text COLLATE "C" PRIMARY KEY,
  region_id text COLLATE "C" NOT NULL,
  -- Null if it has no position, or none near a feature.
  feature_id text COLLATE "C",
  dataset_ids text[] COLLATE "C" NOT NULL,
  -- False for private and deleted surveys, and for demo ones outside demo mode.
  is_public boolean NOT NULL,
  images integer NOT NULL,
  -- YYYY-MM-DD; null if unknown.
  day text COLLATE "C",
  -- Null without a position.
  longitude double precision,
  latitude double precision
);
CREATE INDEX survey_places_of_feature ON survey_places (feature_id, (coalesce(day, '')) DESC, survey_id DESC) WHERE feature_id IS NOT NULL;
CREATE INDEX survey_places_by_dataset ON survey_places USING gin (dataset_ids) WHERE is_public;
CREATE INDEX survey_places_by_region ON survey_places (region_id, survey_id);

-- Public surveys of a feature in a dataset: most surveyed reefs first.
CREATE TABLE feature_counts (
  region_id text COLLATE "C" NOT NULL,
  dataset_id text COLLATE "C" NOT NULL,
  feature_id text COLLATE "C" NOT NULL,
  surveys integer NOT NULL,
  images integer NOT NULL,
  PRIMARY KEY (region_id, dataset_id, feature_id)
);
CREATE INDEX feature_counts_most ON feature_counts (region_id, dataset_id, surveys DESC, feature_id);
CREATE INDEX feature_counts_of ON feature_counts (region_id, feature_id);

-- Files below /cdn, as anyone gets them.
CREATE TABLE public_files (
  path text COLLATE "C" PRIMARY KEY,
  sha256 text COLLATE "C" NOT NULL,
  content_type text NOT NULL,
  body bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
