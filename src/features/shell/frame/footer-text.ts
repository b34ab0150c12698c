/**
 * Line with the data sources and their licences.
 * @param reefs attribution of the reef table, up to its colon; empty for none
 */
export function sourcesText(reefs: string): string {
  const whose = (reefs.split(':')[0] ?? '').trim();
  return [
    ...(whose === '' ? [] : [`Reefs: ${whose}`]),
    'Land: Natural Earth, public domain',
    'Type: Poppins and Work Sans, SIL OFL 1.1',
  ]
    .map((part) => `${part}.`)
    .join(' ');
}
