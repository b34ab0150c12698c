-- Roles that an operation claims for its author (expert, verified …) and that the cloud confirmed at intake: JSON, null
-- for none. A document has those of the author of its current value. Documents with such claims are recomputed, since
-- earlier rows have no confirmed roles.
ALTER TABLE ops ADD COLUMN author_roles text;
ALTER TABLE docs ADD COLUMN author_roles text;
UPDATE docs SET shown = NULL WHERE kind <> 'profile' AND shown ~ '"(isExpert|verified|admin|staff)":true';
