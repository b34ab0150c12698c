import type { ReactNode } from 'react';
import { Button, Disclosure as AriaDisclosure, DisclosurePanel, Heading } from 'react-aria-components';
import styles from './Disclosure.module.css';
import { Icon } from '../display/Icon';

interface Props {
  readonly title: string;
  /** Secondary line: how much is inside, what was chosen. */
  readonly detail?: string | undefined;
  readonly children: ReactNode;
  /** Heading level; default 2. */
  readonly level?: 2 | 3 | 4;
  /** Controlled together: the page stores the open state. */
  readonly isOpen?: boolean;
  readonly onToggle?: (isOpen: boolean) => void;
}

export function Disclosure({ title, detail, children, level = 2, isOpen, onToggle }: Props) {
  return (
    <AriaDisclosure
      {...(isOpen === undefined ? {} : { isExpanded: isOpen })}
      {...(onToggle === undefined ? {} : { onExpandedChange: onToggle })}
    >
      <Heading level={level} className={styles.heading ?? ''}>
        <Button slot="trigger" className={styles.button ?? ''}>
          <span className={styles.words}>
            {title}
            {detail !== undefined && <span className={styles.detail}>{detail}</span>}
          </span>
          <Icon name="down" />
        </Button>
      </Heading>
      <DisclosurePanel>
        <div className={styles.panel}>{children}</div>
      </DisclosurePanel>
    </AriaDisclosure>
  );
}
