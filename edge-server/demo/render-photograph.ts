import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Sha256 } from '../../src/domain/ids';
import type { Quality } from '../../src/domain/image/quality';
import { measureQuality } from '../../src/imaging/quality/measure-quality';
import type { Cover } from '../../src/imaging/reef-renderer/reef-classes';
import { sceneOf, type Habitat } from '../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../src/imaging/reef-renderer/render-reef';

const JPEG_QUALITY = 86;
/** Longer side of the copy that `measure` expects. */
const MEASURED_SIDE_PX = 800;

/** Rendered photograph as a camera would write it, with its true cover. */
interface RenderedPhotograph {
  readonly jpeg: Buffer;
  readonly sha256: Sha256;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Class of each pixel: index in `REEF_CLASSES`. */
  readonly label: Uint8Array;
  readonly quality: Quality | null;
  /** Fraction 0..1 of the picture by class. */
  readonly cover: Cover;
}

interface CaptureMetadata {
  /** `YYYY-MM-DDTHH:MM:SS` without a zone, as cameras write it. */
  readonly takenAt: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Spot in a habitat; the same view renders the same picture. */
interface ReefView {
  readonly habitat: Habitat;
  readonly seed: number;
  readonly size: { readonly width: number; readonly height: number };
}

/** Renders a photograph with EXIF data and measures it like the app. */
export async function renderPhotograph(
  { habitat, seed, size }: ReefView,
  { takenAt, latitude, longitude }: CaptureMetadata,
): Promise<RenderedPhotograph> {
  const { width, height, rgb, label, cover } = renderReef(sceneOf(habitat, seed, size));
  const raw = { raw: { width, height, channels: 3 as const } };
  const jpeg = await sharp(rgb, raw)
    .jpeg({ quality: JPEG_QUALITY })
    .withExif({
      IFD0: {
        Make: 'Great Reef Census',
        Model: 'Reef renderer',
        ImageDescription: 'A made picture, no photograph of a real place',
        Copyright: 'Public demo content',
      },
      IFD2: { DateTimeOriginal: takenAt.replaceAll('-', ':').replace('T', ' ') },
      IFD3: {
        GPSLatitudeRef: latitude < 0 ? 'S' : 'N',
        GPSLatitude: exifDegrees(latitude),
        GPSLongitudeRef: longitude < 0 ? 'W' : 'E',
        GPSLongitude: exifDegrees(longitude),
      },
    })
    .toBuffer();
  const small = await sharp(rgb, raw)
    .resize(MEASURED_SIDE_PX, MEASURED_SIDE_PX, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    jpeg,
    sha256: createHash('sha256').update(jpeg).digest('hex') as Sha256,
    width,
    height,
    label,
    quality: measureQuality({ data: small.data, width: small.info.width, height: small.info.height }),
    cover,
  };
}

/** Degrees, minutes and seconds as EXIF writes them: three fractions. */
function exifDegrees(value: number): string {
  const whole = Math.abs(value);
  const minutes = (whole % 1) * 60;
  return `${Math.floor(whole)}/1 ${Math.floor(minutes)}/1 ${Math.round((minutes % 1) * 60 * 100)}/100`;
}
