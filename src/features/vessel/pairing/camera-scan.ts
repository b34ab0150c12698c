import type { QrCodeReader } from '../../../workers/qr-code/qr-code.api';

export type CameraFault = 'refused' | 'none' | 'busy' | 'unsupported';

interface Detector {
  readonly detect: (source: HTMLVideoElement) => Promise<readonly { readonly rawValue: string }[]>;
}

/** Interval between scanned pictures, ms. */
const SCAN_EVERY_MS = 160;
/** Reads a screen at arm's length. */
const SCAN_WIDTH_PX = 720;

/**
 * Rear camera.
 * @throws Error with a CameraFault as `cause`
 */
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

function cameraFaultOf(error: unknown): CameraFault {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'none';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'unsupported';
}

/** Calls `onText` for each code. Returns a function that stops it. */
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
          if (!ended.signal.aborted) console.warn('A camera picture could not be read.', error);
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
    // The detector exists but reads no QR.
    return null;
  }
}

async function readNatively(detector: Detector | null, video: HTMLVideoElement): Promise<string | null> {
  if (detector === null) return null;
  try {
    return (await detector.detect(video))[0]?.rawValue ?? null;
  } catch {
    // Chromium has it without the service behind it: our own reader takes over.
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
