import type { QrCodeReader } from '../../../workers/qr-code/qr-code.api';

/** Why there is no camera picture. */
export type CameraFault = 'refused' | 'none' | 'busy' | 'unsupported';

/** What is used of the browser's own reader, where it has one. */
interface Detector {
  readonly detect: (source: HTMLVideoElement) => Promise<readonly { readonly rawValue: string }[]>;
}

/** Pictures a second that are looked at. */
const SCAN_EVERY_MS = 160;
/** Wide enough for a code on a screen an arm away. */
const SCAN_WIDTH_PX = 720;

/** Opens the camera that looks away from the person. @throws CameraFault as `cause` */
export async function openCamera(): Promise<MediaStream> {
  if (navigator.mediaDevices?.getUserMedia === undefined)
    throw new Error('no camera here', { cause: 'unsupported' satisfies CameraFault });
  try {
    return await navigator.mediaDevices.getUserMedia({
      video: { facingMode: 'environment', width: { ideal: 1280 } },
      audio: false,
    });
  } catch (error) {
    throw new Error('the camera could not be opened', { cause: cameraFaultOf(error) });
  }
}

/** What the browser calls it, in our few kinds. */
export function cameraFaultOf(error: unknown): CameraFault {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'none';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'unsupported';
}

/** Looks at a running video until `found` says that a code was the right one. Gives the end of it. */
export function scanForCodes(
  video: HTMLVideoElement,
  reader: QrCodeReader,
  onText: (text: string) => void,
): () => void {
  const ended = new AbortController();
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const detector = nativeDetector();
  const scan = async (): Promise<void> => {
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && video.videoWidth > 0) {
      const text =
        (await readNatively(detector, video)) ?? (await readInWorker(video, canvas, context, reader, ended.signal));
      if (text !== null && !ended.signal.aborted) onText(text);
    }
  };
  let timer: ReturnType<typeof setTimeout>;
  const scheduleScan = (): void => {
    timer = setTimeout(() => {
      scan()
        .catch((error: unknown) => {
          if (!ended.signal.aborted) console.warn('A picture of the camera could not be read.', error);
        })
        .finally(() => {
          if (!ended.signal.aborted) scheduleScan();
        });
    }, SCAN_EVERY_MS);
  };
  scheduleScan();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}

function nativeDetector(): Detector | null {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: new (options: { formats: string[] }) => Detector };
  if (BarcodeDetector === undefined) return null;
  try {
    return new BarcodeDetector({ formats: ['qr_code'] });
  } catch {
    // It is there and reads no QR.
    return null;
  }
}

async function readNatively(detector: Detector | null, video: HTMLVideoElement): Promise<string | null> {
  if (detector === null) return null;
  try {
    return (await detector.detect(video))[0]?.rawValue ?? null;
  } catch {
    // Chromium has it on systems without the service behind it: our own reader looks then.
    return null;
  }
}

async function readInWorker(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D | null,
  reader: QrCodeReader,
  signal: AbortSignal,
): Promise<string | null> {
  if (context === null) return null;
  const scale = Math.min(1, SCAN_WIDTH_PX / video.videoWidth);
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return reader.read({ width, height, data }, signal);
}
