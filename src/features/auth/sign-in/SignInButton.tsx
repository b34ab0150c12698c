import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import { overlay } from '../overlay-state';

interface Props {
  readonly repositories: Pick<Repositories, 'account'>;
}

/** Opens the sign-in; hidden while someone is signed in. */
export function SignInButton({
  repositories: {
    account: { people },
  },
}: Props) {
  return useObservable(people.current) === null ? (
    <Button onPress={() => overlay.open({ show: 'sign-in' })}>Sign in to get started</Button>
  ) : null;
}
