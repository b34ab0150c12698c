-- Addresses by their beginning.
CREATE INDEX user_by_email ON auth."user" ("email" COLLATE "C");

-- Words of the name, in lower case and without accents; null for none. The profile's name, once there is one, counts
-- instead. Earlier names have their accents until they are written again.
ALTER TABLE auth."user" ADD "nameWords" text COLLATE "C";
UPDATE auth."user" SET "nameWords" = trim(regexp_replace(lower("name"), '\s+', ' ', 'g')) WHERE "name" <> '';
CREATE INDEX user_by_name ON auth."user" USING gin (array_to_tsvector(array_remove(string_to_array("nameWords", ' '), ''))) WHERE "nameWords" IS NOT NULL;
