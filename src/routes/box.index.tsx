import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use } from 'react';
import { useRegion } from '../features/shell';
import { BoxPage } from '../features/vessel/BoxPage';

/** `pair`: code of a scanned pairing link; a number if it has only digits and no hyphen. */
const search = ({ pair }: Readonly<Record<string, unknown>>): { pair?: string } =>
  typeof pair === 'string' || typeof pair === 'number' ? { pair: String(pair) } : {};

export const Route = createFileRoute('/box/')({ validateSearch: search, component: Box });

function Box() {
  const { open, servedBy } = Route.useRouteContext();
  const { pair } = Route.useSearch();
  const router = useRouter();
  const navigate = Route.useNavigate();
  /** Removes the used code from the history, unless the person is on another screen by now. */
  const forgetCode = (): void => {
    if (/^\/box\/?$/.test(router.latestLocation.pathname)) void navigate({ to: '/box', search: {}, replace: true });
  };
  return (
    <BoxPage
      repositories={use(open())}
      servedBy={servedBy}
      regionId={useRegion()}
      pairCode={pair}
      onPaired={forgetCode}
    />
  );
}
