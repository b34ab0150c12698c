-- Error reports of apps with the same title and version are one group, with its latest report as the example. The single
-- reports go: no app of an earlier version sent any, and those of others may contain what a report may not.
CREATE TABLE error_groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title text NOT NULL,
  version text NOT NULL,
  count bigint NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  -- When staff closed it; null again with the next report.
  closed_at timestamptz,
  example jsonb NOT NULL,
  UNIQUE (title, version)
);
DROP TABLE client_logs;
