-- What an operation says that its author is (an expert, verified …) and the cloud knew of them when it took it in: JSON, null for nothing.
-- A document has it of whoever wrote what is shown. Documents that say so of their author are computed anew: nothing was known of it so far.
ALTER TABLE ops ADD COLUMN author_roles text;
ALTER TABLE docs ADD COLUMN author_roles text;
UPDATE docs SET shown = NULL WHERE kind <> 'profile' AND shown ~ '"(isExpert|verified|admin|staff)":true';
