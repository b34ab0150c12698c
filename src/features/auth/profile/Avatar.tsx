import { useEffect, useState } from 'react';
import { codes, url as flags } from 'virtual:flags';
import type { ProfileRepository } from '../../../data/repositories/account/profile-repository';
import { useObservable } from '../../shell';
import { countryCode } from './country-code';
import styles from '../auth.module.css';

interface Props {
  readonly profile: Pick<ProfileRepository, 'photo'>;
  readonly name: { readonly first: string; readonly last: string };
  readonly country: string | undefined;
}

/** Profile photo, else the country's flag (3§3), else the initial. */
export function Avatar({ profile, name, country }: Props) {
  const picture = useObservable(profile.photo);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) return setUrl(null);
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  const code = countryCode(country ?? '');
  if (url !== null) return <img className={styles.face} src={url} alt={`${name.first} ${name.last}`.trim()} />;
  if (code !== null && codes.has(code)) {
    return (
      <svg
        className={styles.face}
        role="img"
        aria-label={`Flag of ${country ?? ''}`}
        preserveAspectRatio="xMidYMid slice"
        viewBox="0 0 3 2"
      >
        <use href={`${flags}#${code}`} width="3" height="2" />
      </svg>
    );
  }
  return (
    <span className={styles.face} aria-hidden="true">
      {[...name.first.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
