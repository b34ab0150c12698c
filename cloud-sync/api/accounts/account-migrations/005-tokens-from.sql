-- Box tokens issued before this time are void aboard.
ALTER TABLE auth.person ADD tokens_from timestamptz;
