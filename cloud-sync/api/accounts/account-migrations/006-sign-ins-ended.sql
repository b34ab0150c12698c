-- Number of times a person's sign-ins were ended, or a role was removed. Box tokens contain the number at their issue,
-- since a time in seconds does not separate tokens before and after it.
ALTER TABLE auth.person
  ADD sign_ins_ended integer NOT NULL DEFAULT 0,
  ADD roles_taken integer NOT NULL DEFAULT 0,
  ADD roles_taken_at timestamptz;
UPDATE auth.person SET sign_ins_ended = 1 WHERE tokens_from IS NOT NULL;

-- Profile photos no longer in use, whose bytes are to be removed.
CREATE TABLE auth.photo_gone (sha256 text PRIMARY KEY, at timestamptz NOT NULL);

-- Codes are longer after guesses.
ALTER TABLE auth.code ADD digits integer NOT NULL DEFAULT 6;
