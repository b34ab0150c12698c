import { useEffect, useState, type ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './Button';
import styles from './Dialog.module.css';

interface Props {
  readonly title: string;
  readonly isOpen: boolean;
  /** By Close or Escape. A touch outside does nothing: a wet hand would lose what was typed. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, main one last. */
  readonly actions?: ReactNode;
  /** For forms and pictures: up to 920 px. */
  readonly wide?: boolean;
  /** False removes Close and Escape. */
  readonly isClosable?: boolean;
  /** `alertdialog` for a question: announced at once. */
  readonly role?: 'dialog' | 'alertdialog';
}

/** Traps the focus; at the bottom on a phone. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  wide = false,
  isClosable = true,
  role = 'dialog',
}: Props) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  useEffect(() => (element === null ? undefined : trackOpenDialog(element)), [element]);
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isKeyboardDismissDisabled={!isClosable}
      className={styles.veil ?? ''}
    >
      <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
        <AriaDialog ref={setElement} role={role} className={styles.dialog ?? ''}>
          <header className={styles.head}>
            <Heading slot="title" className={styles.title ?? ''}>
              {title}
            </Heading>
            {isClosable && <Button variant="quiet" icon="close" aria-label="Close" onPress={onClose} />}
          </header>
          <div className={styles.body}>{children}</div>
          {actions !== undefined && (
            <div className={styles.actions} data-foot>
              {actions}
            </div>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Notices make room for open dialogs (`data-dialog`). */
let openDialogs = 0;

/** Refocuses the dialog if the focused element disappears: Escape must still work. */
function trackOpenDialog(element: HTMLElement): () => void {
  const changeCount = (by: number): void => {
    openDialogs += by;
    document.documentElement.toggleAttribute('data-dialog', openDialogs > 0);
  };
  const observer = new MutationObserver(() => {
    if (document.activeElement === document.body) element.focus({ preventScroll: true });
  });
  observer.observe(element, { childList: true, subtree: true });
  changeCount(1);
  return () => {
    observer.disconnect();
    changeCount(-1);
  };
}
