import { DRAWING_ICON_PATHS, type DrawingIconName } from './drawing-icon-paths';
import { Icon } from './Icon';
import styles from './Icon.module.css';
import { ICON_PATHS, type IconName } from './icon-paths';

/** Either icon set. */
export function DrawingIcon({ name }: { readonly name: IconName | DrawingIconName }) {
  if (isPlain(name)) return <Icon name={name} />;
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d={DRAWING_ICON_PATHS[name]} />
    </svg>
  );
}

const isPlain = (name: IconName | DrawingIconName): name is IconName => Object.hasOwn(ICON_PATHS, name);
