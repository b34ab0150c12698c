import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { useRegion } from '../features/shell';
import { BoxPage } from '../features/vessel/BoxPage';

/** `pair`: the code of a scanned pairing link; a number where nobody put a hyphen into one of digits alone. */
const search = ({ pair }: Readonly<Record<string, unknown>>): { pair?: string } => (typeof pair === 'string' || typeof pair === 'number' ? { pair: String(pair) } : {});

export const Route = createFileRoute('/box/')({ validateSearch: search, component: Box });

function Box() {
  const { open, servedBy } = Route.useRouteContext();
  const { pair } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <BoxPage
      repositories={use(open())}
      servedBy={servedBy}
      regionId={useRegion()}
      pairCode={pair}
      // What paired one tablet does not stay in its history.
      onPaired={() => void navigate({ to: '/box', search: {}, replace: true })}
      toClock={(words) => <Link to="/box/clock">{words}</Link>}
      toYou={(words) => <Link to="/you">{words}</Link>}
    />
  );
}
