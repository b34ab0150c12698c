import { useState } from 'react';
import { BAD_IMAGE_LABEL, labelSet, type LabelSetId } from '../../../domain/analysis/labelling/label-sets';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { CategoryList } from '../panel/CategoryList';

interface Props {
  readonly set: LabelSetId;
  readonly onFill: (label: string) => void;
  readonly onClose: () => void;
}

/** Question before the whole-image fill (2§5 "Zap asks confirmation that all unanalysed areas will be filled"). */
export function FillDialog({ set, onFill, onClose }: Props) {
  const [label, setLabel] = useState<string | null>(null);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title="Fill the rest of the picture?"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isDisabled={label === null} onPress={() => label !== null && onFill(label)}>
            {label === null ? 'Fill: choose a category' : 'Fill rest'}
          </Button>
        </>
      }
    >
      <p>
        All unanalysed areas will be filled with one category: everything that no labelled outline covers. A picture
        takes one fill; Undo takes it back.
      </p>
      <CategoryList
        label="Category of the rest"
        options={labelSet(set).filter(({ id }) => id !== BAD_IMAGE_LABEL)}
        chosen={label}
        isDisabled={false}
        onChoose={setLabel}
      />
    </Dialog>
  );
}
