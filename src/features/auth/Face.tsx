import { useEffect, useState } from 'react';
import type { ProfileRepository } from '../../data/repositories/profile-repository';
import { useLive } from '../shell';
import { flagOf } from './flag';
import styles from './auth.module.css';

interface Props {
  readonly profile: Pick<ProfileRepository, 'picture'>;
  readonly name: { readonly first: string; readonly last: string };
  readonly country: string | undefined;
}

/** The person's photograph, otherwise the flag of their country (3§3), otherwise the first letter of their name. */
export function Face({ profile, name, country }: Props) {
  const picture = useLive(profile.picture);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) return setUrl(null);
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  const flag = flagOf(country ?? '');
  if (url !== null) return <img className={styles.face} src={url} alt={`${name.first} ${name.last}`.trim()} />;
  if (flag !== null) return <span className={styles.face} role="img" aria-label={`Flag of ${country ?? ''}`}>{flag}</span>;
  return <span className={styles.face} aria-hidden="true">{name.first.trim().slice(0, 1).toUpperCase() || '?'}</span>;
}
