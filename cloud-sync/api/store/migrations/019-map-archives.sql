-- Archives of map tiles, built from what staff import; each process of the service has copies as files.

CREATE TABLE map_archives (
  -- Name below /tiles, such as reefs-gbr.
  name text COLLATE "C" PRIMARY KEY,
  region_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  attribution text NOT NULL,
  -- West, south, east, north, degrees.
  bounds double precision[] NOT NULL CHECK (cardinality(bounds) = 4),
  min_zoom integer NOT NULL,
  max_zoom integer NOT NULL,
  bytes bigint NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  -- Hash of what it was built from and of the rules; another one asks for a new archive.
  built_from text COLLATE "C" NOT NULL,
  built_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX map_archives_of_region ON map_archives (region_id, name);

-- Bytes of archives, in pieces of at most a megabyte.
CREATE TABLE map_archive_pieces (
  sha256 text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (sha256, n)
);
ALTER TABLE map_archive_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
