import styles from './Icon.module.css';
import { ICON_PATHS, type IconName } from './icon-paths';

/** Hidden from screen readers: a label names it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
