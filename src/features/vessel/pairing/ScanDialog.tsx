import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Note } from '../../../ui/feedback/Note';
import { qrCodeReader } from '../../../workers/qr-code/qr-code-reader';
import { parsePairingInput, type PairingInput } from './address';
import { openCamera, scanForCodes, type CameraFault } from './camera-scan';
import styles from './ScanDialog.module.css';

interface Props {
  readonly onFound: (found: PairingInput) => void;
  readonly onClose: () => void;
}

type State =
  | { readonly status: 'opening' }
  | { readonly status: 'looking'; readonly sawOtherCode: boolean }
  | { readonly status: 'no-camera'; readonly fault: CameraFault };

const FAULT_TEXTS: Readonly<Record<CameraFault, { readonly title: string; readonly text: string }>> = {
  refused: {
    title: 'The camera is not allowed',
    text: 'Allow it for this page in the browser’s settings, or type the address and code instead.',
  },
  none: { title: 'This tablet has no camera', text: 'Type the address and the code that the box shows.' },
  busy: {
    title: 'The camera is used by another app',
    text: 'Close that app and scan again, or type the address and code instead.',
  },
  unsupported: {
    title: 'This browser does not let pages use the camera',
    text: 'Type the address and the code that the box shows.',
  },
};

/** Other codes are ignored, with a message. */
export function ScanDialog({ onFound, onClose }: Props) {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<State>({ status: 'opening' });
  const [tries, setTries] = useState(0);
  const latestOnFound = useRef(onFound);
  useEffect(() => {
    latestOnFound.current = onFound;
  });
  useEffect(() => {
    let disposed = false;
    let stream: MediaStream | undefined;
    let stop = (): void => undefined;
    const reader = qrCodeReader();
    setState({ status: 'opening' });
    openCamera()
      .then(async (opened) => {
        stream = opened;
        const element = video.current;
        if (disposed || element === null) {
          stopStream(opened);
          return;
        }
        element.srcObject = opened;
        await element.play();
        setState({ status: 'looking', sawOtherCode: false });
        stop = scanForCodes(element, reader, (text) => {
          const pairing = parsePairingInput(text);
          if (pairing === null) setState({ status: 'looking', sawOtherCode: true });
          else latestOnFound.current(pairing);
        });
      })
      .catch((error: unknown) => {
        if (!disposed)
          setState({
            status: 'no-camera',
            fault: error instanceof Error && typeof error.cause === 'string' ? (error.cause as CameraFault) : 'busy',
          });
      });
    return () => {
      disposed = true;
      stop();
      reader.stop();
      if (stream !== undefined) stopStream(stream);
    };
  }, [tries]);

  return (
    <Dialog
      title="Scan the box’s code"
      isOpen
      onClose={onClose}
      actions={
        <>
          {state.status === 'no-camera' && <Button onPress={() => setTries(tries + 1)}>Try again</Button>}
          <Button variant={state.status === 'no-camera' ? 'primary' : 'line'} onPress={onClose}>
            Type it instead
          </Button>
        </>
      }
    >
      {state.status === 'no-camera' ? (
        <Note tone="wait" icon="camera" title={FAULT_TEXTS[state.fault].title} role="alert">
          {FAULT_TEXTS[state.fault].text}
        </Note>
      ) : (
        <div className={styles.view}>
          <video ref={video} className={styles.video} muted playsInline aria-label="What the camera sees" />
          <span className={styles.aim} aria-hidden="true" />
        </div>
      )}
      <p className={styles.words} role="status">
        {state.status === 'opening' && 'Opening the camera'}
        {state.status === 'looking' &&
          (state.sawOtherCode
            ? 'That is a different code. Hold the camera to the one on the box’s screen, or on a paired tablet.'
            : 'Hold the camera to the code on the box’s screen, or on a paired tablet.')}
      </p>
    </Dialog>
  );
}

function stopStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
