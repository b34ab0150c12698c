import { Button } from '../../../ui/controls/Button';
import { notify } from '../../../ui/feedback/notices';

interface Props {
  /** Path of the view with region and dataset, so that it opens the same for anyone; the query is that of the page. */
  readonly path: string;
}

/** Copies the address of what is shown: reef, survey, layers and place. */
export function CopyLink({ path }: Props) {
  const copy = async (): Promise<void> => {
    const address = `${location.origin}${path}${location.search}`;
    try {
      await navigator.clipboard.writeText(address);
      notify({ title: 'Link copied', text: 'It opens this view of the map.', icon: 'dup' });
    } catch (_refused) {
      notify({ title: 'The browser does not allow copying here', text: address, icon: 'alert' });
    }
  };
  return (
    <Button variant="quiet" icon="dup" onPress={() => void copy()}>
      Copy link
    </Button>
  );
}
