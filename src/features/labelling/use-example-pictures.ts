import { useEffect, useState } from 'react';
import { labelScene } from '../../domain/analysis/labelling/label-examples';
import type { LabelOption } from '../../domain/analysis/labelling/label-sets';
import { demoPictures } from '../../workers/demo/demo-pictures';

/**
 * Made pictures by the path of their images; a path is missing until its picture is made. `failed` if this tablet can
 * make none.
 */
export function useExamplePictures(images: LabelOption['images']): ReadonlyMap<string, string> | 'failed' {
  const key = images.map(({ image_path }) => image_path).join(' ');
  const [made, setMade] = useState<{ readonly key: string; readonly urls: ReadonlyMap<string, string> | 'failed' }>();
  useEffect(() => {
    const pictures = demoPictures();
    const urls = new Map<string, string>();
    let isOver = false;
    for (const path of key === '' ? [] : key.split(' ')) {
      const scene = labelScene(path);
      if (scene === null) continue;
      pictures.picture({ id: `example ${path}`, scene, breakdown: {} }).then(
        ({ blob }) => {
          if (isOver) return;
          urls.set(path, URL.createObjectURL(blob));
          setMade({ key, urls: new Map(urls) });
        },
        (error: unknown) => {
          if (isOver) return;
          console.warn('An example picture could not be made:', error);
          setMade({ key, urls: 'failed' });
        },
      );
    }
    return () => {
      isOver = true;
      pictures.stop();
      for (const url of urls.values()) URL.revokeObjectURL(url);
    };
  }, [key]);
  return made?.key === key ? made.urls : NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
