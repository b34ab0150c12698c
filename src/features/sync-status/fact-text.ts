// Separate file, so that the first page loads no other texts.
import type { ConnectivityFacts, EdgeLink } from '../../data/repositories';

/** Fact on the box for the page header. */
export function boxFact(
  link: EdgeLink,
  connectivity: ConnectivityFacts,
): { readonly reach: boolean; readonly title: string; readonly detail: string } {
  if (link.status === 'unpaired') return { reach: false, title: 'No box yet', detail: 'saved on this tablet' };
  if (connectivity.offlineByChoice) return { reach: false, title: 'Offline by choice', detail: 'saved on this tablet' };
  if (connectivity.impostor) return { reach: false, title: 'Not your box', detail: 'another server answers' };
  switch (link.status) {
    case 'connected':
      return {
        reach: true,
        title: 'Box in reach',
        detail: connectivity.slow ? `${link.edge.name}, slow` : link.edge.name,
      };
    case 'connecting':
      return { reach: false, title: 'Looking for the box', detail: link.edge.name };
    case 'refused':
      return {
        reach: false,
        title: 'The box refused this tablet',
        detail: link.why.message === '' ? 'this tablet has no access' : link.why.message,
      };
    case 'offline':
      return {
        reach: false,
        title: 'Box not in reach',
        detail: connectivity.browserOnline ? 'retrying' : 'no network',
      };
  }
}

/** Fact on network and shore: no network, or a link to the shore. Null otherwise, since the box's fact is enough. */
export function networkFact({
  browserOnline,
  answering,
  offlineByChoice,
  slow,
}: ConnectivityFacts): { readonly reach: boolean; readonly title: string; readonly detail: string } | null {
  if (!browserOnline) return { reach: false, title: 'No network', detail: 'this tablet is not on Wi-Fi' };
  if (!offlineByChoice && answering === 'www')
    return { reach: true, title: 'Shore in reach', detail: slow ? 'over the internet, slow' : 'over the internet' };
  return null;
}
