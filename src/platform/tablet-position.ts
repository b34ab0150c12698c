import type { GeoPoint } from '../domain/position/geo-point';

/** Position of this device, or the reason that it has none. */
type TabletPosition =
  | { readonly ok: true; readonly point: GeoPoint; readonly accuracyM: number }
  | { readonly ok: false; readonly text: string };

/** Time limit of a fix, ms: slow on open water after the device was asleep. */
const TIMEOUT_MS = 30_000;
/** Maximum age of a position, ms. */
const FRESH_MS = 15_000;

/** Explanation for each `GeolocationPositionError.code`. */
const ERROR_TEXTS: Readonly<Record<number, string>> = {
  1: 'This app may not use the tablet’s position. Allow it in the browser’s settings for this page, or type the position.',
  2: 'This tablet does not know its position right now. Try again under open sky, or type the position.',
  3: 'This tablet found no position in half a minute. Try again under open sky, or type the position.',
};

/** Asks the device once for its position; the browser may ask the person first. Never throws. */
export function tabletPosition(): Promise<TabletPosition> {
  if (!('geolocation' in navigator))
    return Promise.resolve({ ok: false, text: 'This browser cannot read the tablet’s position. Type the position.' });
  return new Promise((resolve) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) =>
        resolve({
          ok: true,
          point: { latitude: coords.latitude, longitude: coords.longitude },
          accuracyM: coords.accuracy,
        }),
      ({ code }) =>
        resolve({
          ok: false,
          text: ERROR_TEXTS[code] ?? 'This tablet does not report its position. Type the position.',
        }),
      { enableHighAccuracy: true, timeout: TIMEOUT_MS, maximumAge: FRESH_MS },
    );
  });
}
