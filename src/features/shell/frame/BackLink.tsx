import { Link } from '@tanstack/react-router';
import { Icon } from '../../../ui/display/Icon';
import styles from './BackLink.module.css';

type Target =
  | { readonly to: '/analysis' | '/surveys' | '/box' | '/you' }
  | { readonly to: '/analysis/library/$survey'; readonly params: { readonly survey: string } }
  | {
      readonly to: '/reefs/$region/$reef';
      readonly params: { readonly region: string; readonly reef: string };
      readonly search: Readonly<Record<string, string>>;
    };

export function BackLink({ name, ...target }: Target & { readonly name: string }) {
  return (
    <Link {...target} className={styles.back ?? ''} aria-label={name}>
      <Icon name="back" />
    </Link>
  );
}
