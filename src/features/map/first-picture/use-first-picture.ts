import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { holdHeavyWork } from '../../../platform/first-view';
import { earlyReading } from './early-reading';
import { readFirstPicture } from './read-first-picture';

interface Reading<Picture> {
  /** Null until it is read, or without one. */
  readonly picture: Picture | null;
  /** To be called once the picture is painted: databases and the map library wait for it. */
  readonly onPainted: () => void;
}

/**
 * Reads the first picture of a region, and holds back all that would delay it.
 *
 * @param url address of `/cdn/map/<region>/first.json`
 * @param decode of the parsed file (`decodeFirstPicture` of `src/domain/results`). Must not change. @throws for a broken one
 */
export function useFirstPicture<Picture>(url: string, decode: (json: unknown) => Picture): Reading<Picture> {
  // What the early page shows is there in the first frame of this one.
  const [read, setRead] = useState<{ readonly url: string; readonly json: unknown; readonly picture: Picture } | null>(
    () => {
      const json = earlyReading(url)?.json;
      return json === undefined ? null : { url, json, picture: decode(json) };
    },
  );
  const release = useRef<() => void>(() => undefined);
  // A layout effect: those of the map and of the tablet's data run later.
  useLayoutEffect(() => {
    release.current = holdHeavyWork();
    return () => release.current();
  }, []);
  useEffect(() => {
    let isCurrent = true;
    let isShown = false;
    void readFirstPicture(url, (json) => {
      // Decoded even if it comes too late: a broken one must not be stored.
      const picture = decode(json);
      isShown = true;
      if (isCurrent) setRead((before) => (before?.json === json ? before : { url, json, picture }));
    }).then(() => {
      if (!isShown) release.current();
    });
    return () => {
      isCurrent = false;
    };
  }, [url, decode]);
  const onPainted = useCallback(() => {
    performance.mark('first-picture');
    // The frame that has the picture is on the screen when the one after it begins.
    requestAnimationFrame(() => setTimeout(release.current));
  }, []);
  return { picture: read?.url === url ? read.picture : null, onPainted };
}
