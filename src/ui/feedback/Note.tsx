import type { ReactNode } from 'react';
import { Icon } from '../display/Icon';
import { NoWrap } from '../display/NoWrap';
import type { IconName } from '../display/icon-paths';
import styles from './Note.module.css';

/** `plain` informs, `wait` asks for patience (sand), `look` needs attention (coral), `good` is done (turquoise). */
type NoteTone = 'plain' | 'wait' | 'look' | 'good';

interface Props {
  readonly tone?: NoteTone;
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly role?: 'status' | 'alert';
}

export function Note({ tone = 'plain', icon, title, children, action, role }: Props) {
  return (
    <div className={`${styles.note} ${styles[tone]}`} role={role}>
      <Icon name={icon} />
      <div className={styles.words}>
        <strong className={styles.title}>
          <NoWrap>{title}</NoWrap>
        </strong>
        {children !== undefined && <div className={styles.text}>{children}</div>}
      </div>
      {action}
    </div>
  );
}
