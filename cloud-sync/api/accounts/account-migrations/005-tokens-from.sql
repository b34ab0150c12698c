-- Tokens for boxes that were made before this count for nothing aboard.
ALTER TABLE auth.person ADD tokens_from timestamptz;
