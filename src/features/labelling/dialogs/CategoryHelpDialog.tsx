import { labelSet, type LabelSetId } from '../../../domain/analysis/labelling/label-sets';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { PaletteSwatch } from '../../analysis';
import { useExamplePictures } from '../use-example-pictures';
import styles from './CategoryHelpDialog.module.css';

interface Props {
  readonly set: LabelSetId;
  readonly onClose: () => void;
}

/** All options of a step with their descriptions and made example pictures. */
export function CategoryHelpDialog({ set, onClose }: Props) {
  const options = labelSet(set);
  const pictures = useExamplePictures(options.flatMap(({ images }) => images));
  return (
    <Dialog
      isOpen
      wide
      title="What is what?"
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          Close
        </Button>
      }
    >
      <ul className={styles.options}>
        {options.map(({ id, label, long_desc: description, images, palette, stripe, mark }) => (
          <li key={id}>
            <PaletteSwatch palette={palette} mark={mark} {...(stripe === undefined ? {} : { stripe })} />
            <div>
              <h3>{label}</h3>
              <p>{description}</p>
              {pictures !== 'failed' && images.length > 0 && (
                <div className={styles.examples}>
                  {images.map(({ image_path: path, caption }) => {
                    const url = pictures.get(path);
                    return (
                      <figure key={path}>
                        {url === undefined ? (
                          <span className={styles.making} />
                        ) : (
                          <img src={url} alt={`${label}, ${caption}: a picture made by the app`} />
                        )}
                        <figcaption>{caption}</figcaption>
                      </figure>
                    );
                  })}
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
