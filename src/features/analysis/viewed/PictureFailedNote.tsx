import { Note } from '../../../ui/feedback/Note';

/** Says that the photograph of an analysis cannot be shown. */
export function PictureFailedNote() {
  return (
    <Note tone="look" icon="alert" role="alert" title="The picture cannot be shown now">
      The analysis is unchanged. Connect to the box or the shore to fetch the picture, then open this page again.
    </Note>
  );
}
