import { useNavigate } from '@tanstack/react-router';
import { KeyHelp } from '../../ui/KeyHelp';
import { Snackbars } from '../../ui/Snackbars';
import { useKeys } from '../../ui/use-keys';
import { PLACES } from './places';
import { turnDeck } from './theme';

/** What belongs to every screen and is not seen at first: notices, the keys to the places (1 to the last) and to the deck theme. */
export default function ShellKeys() {
  const navigate = useNavigate();
  useKeys({
    ...Object.fromEntries(PLACES.map(({ to, word }, i) => [String(i + 1), { words: word, run: () => void navigate({ to }) }])),
    t: { words: 'Deck theme on or off', run: turnDeck },
  });
  return (
    <>
      <KeyHelp />
      <Snackbars />
    </>
  );
}
