import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { formatBytes } from '../../../base/format-bytes';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { formatChartPosition } from '../../../domain/position/format-position';
import { cameraName } from '../../../domain/survey/camera-clock';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { HoldButton } from '../../../ui/controls/HoldButton';
import { Icon } from '../../../ui/display/Icon';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import { CustodyLights, custodyText, editText, lightsOf } from '../../sync-status';
import styles from './PhotographDialog.module.css';
import { ZoomPicture } from './ZoomPicture';
import { usePreview } from '../roll/use-preview';
import { formatMoment, formatReading } from '../camera-clock/format-times';
import { elsewhereText, hintText, positionSourceText } from '../capture-text';

export interface TwinPhotograph {
  /** From 1. */
  readonly number: number;
  readonly photograph: PhotographView;
}

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly photograph: PhotographView;
  /** From 1. */
  readonly number: number;
  readonly total: number;
  readonly numberOf: (id: ImageId) => number | null;
  readonly onClose: () => void;
  readonly onPrevious: (() => void) | null;
  readonly onNext: (() => void) | null;
  readonly onKeep: () => void;
  readonly onRetake: (file: File) => void;
  readonly onRemove: () => void;
  readonly onMove: () => void;
  /** Photograph of which this one is nearly a copy, shown beside it; null for none. */
  readonly twin: TwinPhotograph | null;
  readonly onTwin: () => void;
}

/** Photograph with its facts. Arrow keys go to the neighbours. */
export function PhotographDialog({
  images,
  surveyId,
  photograph,
  number,
  total,
  numberOf,
  onClose,
  onPrevious,
  onNext,
  onKeep,
  onRetake,
  onRemove,
  onMove,
  twin,
  onTwin,
}: Props) {
  const url = usePreview(images, photograph, 'preview');
  const steps = useRef<HTMLSpanElement>(null);
  const [isFirst, isLast] = [onPrevious === null, onNext === null];
  // A disabled button would lose the focus, and Escape with it: the other one takes it.
  useEffect(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body || (focused instanceof HTMLButtonElement && focused.disabled))
      steps.current?.querySelector<HTMLButtonElement>('button:not(:disabled)')?.focus();
  }, [isFirst, isLast]);
  const retake = useRef<HTMLInputElement>(null);
  useShortcuts(
    {
      ArrowLeft: { label: 'Previous photograph', run: () => onPrevious?.() },
      ArrowRight: { label: 'Next photograph', run: () => onNext?.() },
      Delete: { label: 'Remove the photograph', run: onRemove },
    },
    { scope: 'dialog' },
  );
  const { name, preview, custody, hints } = photograph;
  const isOnTablet = preview !== 'elsewhere';
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={`${number.toLocaleString('en')} of ${total.toLocaleString('en')}`}
      actions={
        <>
          <span ref={steps} className={styles.steps}>
            <Button
              icon="back"
              aria-label="Previous photograph"
              isDisabled={onPrevious === null}
              onPress={() => onPrevious?.()}
            />
            <Button icon="next" aria-label="Next photograph" isDisabled={onNext === null} onPress={() => onNext?.()} />
          </span>
          <span className={styles.gap} />
          {preview === 'here' && (
            <span className={styles.trace}>
              <Link to="/analysis/$survey/$id" params={{ survey: surveyId, id: photograph.id }}>
                Trace
              </Link>
            </span>
          )}
          <Button onPress={onMove}>Move</Button>
          <Button icon="camera" onPress={() => retake.current?.click()}>
            Retake
          </Button>
          <HoldButton variant="quiet" onHeld={onRemove} holdLabel="Hold to remove">
            Remove
          </HoldButton>
        </>
      }
    >
      <input
        ref={retake}
        hidden
        type="file"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) onRetake(file);
        }}
      />
      <div className={styles.two}>
        <div className={styles.stage}>
          {url === null ? (
            <div className={styles.none}>
              <Icon name="photos" />
              {isOnTablet ? (
                <>
                  <b>No preview</b>
                  <span>
                    {`This browser cannot show it${custody.status === 'tablet' ? '' : ', and the box has no small picture of it'}. The original is saved and safe.`}
                  </span>
                </>
              ) : custody.status === 'tablet' && custody.lostBy !== undefined ? (
                <>
                  <b>The picture is missing from the box</b>
                  <span>Open the app on the tablet that took it, or add it again from its camera card.</span>
                </>
              ) : (
                <>
                  <b>{elsewhereText(custody)}</b>
                  <span>
                    {custody.status === 'shore' || custody.status === 'box'
                      ? 'It was added on another tablet. The original is safe there; no small picture of it has come yet.'
                      : 'The photograph was added there; its record is here.'}
                  </span>
                </>
              )}
            </div>
          ) : (
            <div className={twin === null ? '' : styles.twins}>
              <ZoomPicture
                key={photograph.id}
                url={url}
                alt={`Photograph ${number}, ${name}`}
                original={canShowOriginal(photograph) ? () => images.original(photograph.sha256) : null}
                isBeside={twin !== null}
              />
              {twin !== null && <Twin key={twin.photograph.id} images={images} twin={twin} onOpen={onTwin} />}
            </div>
          )}
          {hints.length > 0 && (
            <div className={styles.hints} role="note">
              <Icon name="alert" />
              <span>
                {hints.map((hint) => (
                  <span key={hint.kind} className={styles.hint}>
                    {hintText(hint, numberOf)}
                  </span>
                ))}
              </span>
              <Button onPress={onKeep}>Keep as it is</Button>
            </div>
          )}
        </div>
        <Facts
          photograph={photograph}
          custodyLine={custodyText(custody, isOnTablet)}
          lights={<CustodyLights lights={lightsOf(custody, isOnTablet)} />}
        />
      </div>
    </Dialog>
  );
}

/** True if the whole file is here and in a format that every browser shows. */
function canShowOriginal({ preview, freed, type }: PhotographView): boolean {
  return preview === 'here' && !freed && /^image\/(jpeg|png|webp|avif)$/.test(type);
}

/** Photograph that looks nearly the same, for comparison. */
function Twin({
  images,
  twin: { number, photograph },
  onOpen,
}: {
  readonly images: ImageRepository;
  readonly twin: TwinPhotograph;
  readonly onOpen: () => void;
}) {
  const url = usePreview(images, photograph, 'preview');
  return (
    <figure className={styles.twin}>
      {url === null ? (
        <div className={styles.none}>No preview</div>
      ) : (
        <ZoomPicture
          url={url}
          alt={`Photograph ${number}, ${photograph.name}, nearly the same`}
          original={canShowOriginal(photograph) ? () => images.original(photograph.sha256) : null}
          isBeside
        />
      )}
      <figcaption>
        <Button variant="quiet" onPress={onOpen}>{`Open ${number.toLocaleString('en')}`}</Button>
      </figcaption>
    </figure>
  );
}

function Facts({
  photograph,
  custodyLine,
  lights,
}: {
  readonly photograph: PhotographView;
  readonly custodyLine: string;
  readonly lights: ReactNode;
}) {
  const { name, taken, position, camera, bytes, type, sha256, custody, doc } = photograph;
  const edit = editText(custody);
  const size =
    typeof doc['width'] === 'number' && typeof doc['height'] === 'number'
      ? `${doc['width']} × ${doc['height']} px, `
      : '';
  return (
    <dl className={styles.facts}>
      <Fact term="File">{name}</Fact>
      <Fact term="Stored">
        {lights}
        <span>
          {custodyLine}
          {(custody.status === 'box' || custody.status === 'shore') && `, ${formatMoment(custody.storedAt)}`}
          {edit !== null && `. ${edit}`}
        </span>
      </Fact>
      <Fact term="Camera time">{taken.camera === null ? 'no time in the file' : formatReading(taken.camera)}</Fact>
      <Fact term="Taken">{taken.utc === null ? 'unknown: set the camera clock' : formatMoment(taken.utc)}</Fact>
      <Fact term="Position">
        {position === null ? 'none yet' : `${formatChartPosition(position)}, ${positionSourceText(position)}`}
      </Fact>
      <Fact term="Camera">{cameraName(camera) ?? 'unknown'}</Fact>
      <Fact term="Size">
        {size}
        {formatBytes(bytes)}, {type.replace(/^image\//, '').toUpperCase()}
      </Fact>
      <Fact term="Fingerprint">
        <code title={sha256}>{sha256.slice(0, 12)}</code>
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
