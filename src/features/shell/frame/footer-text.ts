/**
 * Whose facts the app shows, each with its licence, in a line.
 *
 * @param reefs the attribution that the table of reefs bears, where a colon begins what it is of; empty where it bears none
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
