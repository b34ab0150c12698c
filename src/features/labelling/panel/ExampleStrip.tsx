import { labelSet, type LabelSetId } from '../../../domain/analysis/labelling/label-sets';
import { useExamplePictures } from '../use-example-pictures';
import styles from './ExampleStrip.module.css';

/** Made pictures that explain a question, by kind of coral. */
export function ExampleStrip({ sets }: { readonly sets: readonly LabelSetId[] }) {
  const options = sets.flatMap((set) => labelSet(set));
  const pictures = useExamplePictures(options.flatMap(({ images }) => images.slice(0, 1)));
  if (pictures === 'failed') return null;
  return (
    <section className={styles.strip} aria-label="Examples">
      <h2>Examples</h2>
      <ul tabIndex={0}>
        {options.map(({ id, label, hint, images }) => {
          const url = images[0] === undefined ? undefined : pictures.get(images[0].image_path);
          return (
            <li key={id}>
              {url === undefined ? <span className={styles.making} /> : <img src={url} alt={`${label}: ${hint}`} />}
              {label}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
