const QUERY_NAMES = ['view', 'tab', 'reef', 'survey', 'layers', 'reference', 'look', 'at'] as const;
export type ReportSearch = { [Name in (typeof QUERY_NAMES)[number]]?: string };

/** View, reef, survey and layers of the report as text; the page reads them. */
export function reportSearch(search: Readonly<Record<string, unknown>>): ReportSearch {
  return Object.fromEntries(
    QUERY_NAMES.flatMap((name) => {
      const value = search[name];
      // A feature id of digits alone is parsed as a number.
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
    }),
  );
}
