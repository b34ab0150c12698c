-- How often a person's sign-ins were ended, and a role was taken from them. Tokens for boxes say what it was when they were made: a
-- time in seconds does not tell what came before the end from what came after it.
ALTER TABLE auth.person
  ADD sign_ins_ended integer NOT NULL DEFAULT 0,
  ADD roles_taken integer NOT NULL DEFAULT 0,
  ADD roles_taken_at timestamptz;
UPDATE auth.person SET sign_ins_ended = 1 WHERE tokens_from IS NOT NULL;

-- Photographs that nobody shows of themselves any more, whose bytes are to be removed.
CREATE TABLE auth.photo_gone (sha256 text PRIMARY KEY, at timestamptz NOT NULL);

-- A code is longer where somebody guesses.
ALTER TABLE auth.code ADD digits integer NOT NULL DEFAULT 6;
