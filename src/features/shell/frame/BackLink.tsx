import { Link } from '@tanstack/react-router';
import { Icon } from '../../../ui/display/Icon';
import styles from './BackLink.module.css';

export function BackLink({
  to,
  name,
}: {
  readonly to: '/analysis' | '/surveys' | '/box' | '/you';
  readonly name: string;
}) {
  return (
    <Link to={to} className={styles.back ?? ''} aria-label={name}>
      <Icon name="back" />
    </Link>
  );
}
