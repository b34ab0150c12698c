-- Keys with which boxes sign statements about their pending people, and the latest statement of each box about each
-- person. Only a statement settles a claim on what a pending person wrote.
CREATE TABLE auth.box_person_key (
  kid text NOT NULL,
  node text NOT NULL,
  x text NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (kid, node)
);
CREATE TABLE auth.person_statement (
  uid text NOT NULL,
  -- Box; 'operator' for a claim settled by hand, 'before' for one of the earlier rule.
  node text NOT NULL,
  email text NOT NULL,
  device_key text,
  -- True if the uid itself proves the box; otherwise the box must have brought the profile first.
  proven boolean NOT NULL,
  signed_at timestamptz NOT NULL,
  -- As received; null for 'operator' and 'before'.
  statement text,
  PRIMARY KEY (uid, node)
);
CREATE INDEX ON auth.person_statement (email);

-- Claims that an account has by the earlier rule stay its own, also for what is still to come. The store's tables are
-- missing where an operator's command opens the accounts of a new database.
DO $$ BEGIN
  IF to_regclass('docs') IS NOT NULL THEN
    INSERT INTO auth.person_statement (uid, node, email, proven, signed_at)
    SELECT d.doc_id, 'before', d.email, true, now() FROM docs d JOIN auth."user" u ON u."email" = d.email AND u."emailVerified"
    WHERE d.kind = 'profile' AND NOT EXISTS (SELECT FROM auth."user" known WHERE known."id" = d.doc_id)
      AND EXISTS (SELECT FROM ops o JOIN feed f ON f.op_id = o.op_id AND f.own AND f.repeats IS NULL
        WHERE o.kind = 'profile' AND o.doc_id = d.doc_id AND o.accepted AND f.brought_node IS NOT NULL);
  END IF;
END $$;
