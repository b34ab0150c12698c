-- Rasters that are cut into tiles, and how far that is.

ALTER TABLE map_layers
  ADD COLUMN projection text,
  ADD COLUMN width integer,
  ADD COLUMN height integer,
  ADD COLUMN sha256 text COLLATE "C";
-- Read in pieces.
ALTER TABLE map_layers ALTER COLUMN raster SET STORAGE EXTERNAL;
-- Pictures were stored without a look inside; they are imported again.
DELETE FROM map_layers WHERE raster IS NOT NULL;

-- Tiles of a region's raster while it is cut, block by block; they leave with the archive that has them.
CREATE TABLE raster_tiles (
  region_id text COLLATE "C" NOT NULL,
  -- Hash of the rasters and the rules.
  built_from text COLLATE "C" NOT NULL,
  z integer NOT NULL,
  x integer NOT NULL,
  y integer NOT NULL,
  -- Null without a visible pixel.
  webp bytea,
  avif bytea,
  -- True for the root of a block, which is stored with its block; `whole` has its pixels as lossless WebP.
  is_root boolean NOT NULL,
  whole bytea,
  PRIMARY KEY (region_id, built_from, z, x, y)
);
