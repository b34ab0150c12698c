import type { ImageRepository } from '../../data/repositories';
import type { Sha256 } from '../../domain/ids';
import { useThumbnail } from '../shell';
import styles from './Thumbnail.module.css';

export function Thumbnail({ images, sha256 }: { readonly images: ImageRepository; readonly sha256: string | null }) {
  const url = useThumbnail(images, sha256 as Sha256 | null);
  return url === null ? <span className={styles.frame} /> : <img className={styles.frame} src={url} alt="" />;
}
