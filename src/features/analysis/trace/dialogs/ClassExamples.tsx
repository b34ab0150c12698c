import { useEffect, useState } from 'react';
import { EXAMPLE_VIEWS, exampleScene, type ExampleView } from '../../../../domain/analysis/free-draw/examples';
import { demoPictures } from '../../../../workers/demo/demo-pictures';
import styles from './ClassHelpDialog.module.css';

const CAPTIONS: Readonly<Record<ExampleView, string>> = {
  near: 'From near',
  afar: 'From afar',
  bleached: 'Bleached',
  dead: 'Dead',
};

/** Made pictures of a category, beside its words; nothing where none can be made. */
export function ClassExamples({ type, label }: { readonly type: string; readonly label: string }) {
  const pictures = useExamples(type);
  const views = EXAMPLE_VIEWS.filter((view) => exampleScene(type, view) !== null);
  if (pictures === 'failed') return null;
  return (
    <div className={styles.examples}>
      {views.map((view) => {
        const url = pictures[view];
        const caption = views.length === 1 ? 'Example' : CAPTIONS[view];
        return (
          <figure key={view} className={styles.example}>
            {url === undefined ? (
              <span className={styles.making} role="status">
                Making the picture.
              </span>
            ) : (
              <img src={url} alt={`${label}, ${caption.toLowerCase()}: a picture made by the app`} />
            )}
            <figcaption>{caption}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}

type ExampleUrls = Readonly<Partial<Record<ExampleView, string>>>;

function useExamples(type: string): ExampleUrls | 'failed' {
  const [made, setMade] = useState<{ readonly type: string; readonly urls: ExampleUrls | 'failed' } | null>(null);
  useEffect(() => {
    const pictures = demoPictures();
    const urls: string[] = [];
    let isOver = false;
    for (const view of EXAMPLE_VIEWS) {
      const scene = exampleScene(type, view);
      if (scene === null) continue;
      pictures.picture({ id: `example ${type} ${view}`, scene, breakdown: {} }).then(
        ({ blob }) => {
          if (isOver) return;
          const url = URL.createObjectURL(blob);
          urls.push(url);
          setMade((before) => ({
            type,
            urls: { ...(before?.type === type && before.urls !== 'failed' ? before.urls : {}), [view]: url },
          }));
        },
        (error: unknown) => {
          if (isOver) return;
          console.warn('An example picture could not be made:', error);
          setMade({ type, urls: 'failed' });
        },
      );
    }
    return () => {
      isOver = true;
      pictures.stop();
      for (const url of urls) URL.revokeObjectURL(url);
    };
  }, [type]);
  return made?.type === type ? made.urls : {};
}
