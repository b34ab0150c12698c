-- Registrations of the same tablet, as the later one proved with the earlier credential.
ALTER TABLE auth.device ADD COLUMN tablet text;
UPDATE auth.device SET tablet = device_id;
ALTER TABLE auth.device ALTER COLUMN tablet SET NOT NULL;
CREATE INDEX device_by_tablet ON auth.device (tablet);
