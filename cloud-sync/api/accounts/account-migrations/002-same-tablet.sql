-- Registrations of one and the same tablet, as whoever came later showed with the credential that it had.
ALTER TABLE auth.device ADD COLUMN tablet text;
UPDATE auth.device SET tablet = device_id;
ALTER TABLE auth.device ALTER COLUMN tablet SET NOT NULL;
CREATE INDEX device_by_tablet ON auth.device (tablet);
