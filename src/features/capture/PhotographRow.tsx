import { memo } from 'react';
import type { ImageRepository, PhotographView } from '../../data/repositories';
import { Icon } from '../../ui/Icon';
import { bytesWords, CustodyLights, custodyWords, lightsOf } from '../sync-status';
import styles from './PhotographRow.module.css';
import { usePreview } from './use-preview';

interface Props {
  readonly images: ImageRepository;
  readonly photograph: PhotographView;
}

/** A saved photograph: picture, name, where it is. */
export const PhotographRow = memo(function PhotographRow({ images, photograph }: Props) {
  const here = photograph.preview !== 'elsewhere';
  const { place, url } = usePreview<HTMLLIElement>(images, photograph);
  return (
    <li ref={place} className={`${styles.row} ${photograph.custody.at === 'held' ? styles.look : ''}`} data-custody={photograph.custody.at} data-sha256={photograph.sha256}>
      {url === null ? <NoPicture words={photograph.preview === 'none' ? 'no preview' : ''} /> : <img className={styles.picture} src={url} alt="" />}
      <span className={styles.words}>
        <b className={styles.name}>{photograph.name}</b>
        <span>
          {custodyWords(photograph.custody, here)}
          {photograph.preview === 'none' && ' (no preview: the original is kept as it is)'}
        </span>
        <span className={styles.size}>{bytesWords(photograph.bytes)}</span>
      </span>
      <CustodyLights lights={lightsOf(photograph.custody, here)} />
    </li>
  );
});

function NoPicture({ words }: { readonly words: string }) {
  return (
    <span className={styles.none}>
      <Icon name="camera" />
      {words !== '' && <small>{words}</small>}
    </span>
  );
}
