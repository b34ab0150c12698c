import { useEffect, useState } from 'react';
import type { ImageRepository } from '../../data/repositories';
import type { Sha256 } from '../../domain/ids';
import styles from './Thumbnail.module.css';

export function Thumbnail({ images, sha256 }: { readonly images: ImageRepository; readonly sha256: string | null }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (sha256 === null) return undefined;
    let made: string | null = null;
    let gone = false;
    images.thumbnail(sha256 as Sha256).then(
      (blob) => {
        if (gone || blob === null) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      (error: unknown) => console.warn('A preview could not be read; the photograph itself is untouched.', error),
    );
    return () => {
      gone = true;
      if (made !== null) URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [images, sha256]);
  return url === null ? <span className={styles.frame} /> : <img className={styles.frame} src={url} alt="" />;
}
