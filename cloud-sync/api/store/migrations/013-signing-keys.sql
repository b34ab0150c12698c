-- Device key that signed an operation; null for one without a signature. Who writes under the same device id continues
-- earlier work only with the key that signed it.
ALTER TABLE ops ADD COLUMN sig_key text;
UPDATE ops SET sig_key = op::jsonb #>> '{sig,key}' WHERE position('"sig":{' IN op) > 0;
