-- Who is signed in on a device that reads the feed. `left_at` is null for whoever is now; for those before, how far the device
-- had read when they left: what they could see after that is repeated when they come back.
CREATE TABLE device_people (
  device text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  left_at bigint,
  PRIMARY KEY (device, person)
);
