-- People signed in on a device that reads the feed. `left_at` is null for the current one; for earlier ones it is the
-- device's cursor when they left: later entries that they can see are repeated when they return.
CREATE TABLE device_people (
  device text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  left_at bigint,
  PRIMARY KEY (device, person)
);
