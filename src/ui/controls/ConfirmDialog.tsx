import type { ReactNode } from 'react';
import { Button } from './Button';
import { Dialog } from './Dialog';

interface Props {
  readonly title: string;
  readonly confirmLabel: string;
  /** True while the confirmed change runs: the dialog stays open. */
  readonly isWorking: boolean;
  /** True for a change that takes something away. */
  readonly isDanger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Confirmation before a change that a server makes. */
export function ConfirmDialog({
  title,
  confirmLabel,
  isWorking,
  isDanger = false,
  onConfirm,
  onClose,
  children,
}: Props) {
  return (
    <Dialog
      title={title}
      isOpen
      role="alertdialog"
      isClosable={!isWorking}
      onClose={onClose}
      actions={
        <>
          <Button isDisabled={isWorking} onPress={onClose}>
            Cancel
          </Button>
          <Button variant={isDanger ? 'danger' : 'primary'} isDisabled={isWorking} onPress={onConfirm}>
            {isWorking ? 'One moment' : confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
