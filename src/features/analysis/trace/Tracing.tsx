import {
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import type { AnalysisRepository, FreeDrawWork, Repositories, TraceImage } from '../../../data/repositories';
import { rasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import { useKeys } from '../../../ui/use-keys';
import { MORE_TOOLS } from '../tools/more-tools';
import type { PictureLight, ViewedPicture, ViewerHandle } from '../viewer/viewer.types';
import { ClassSheet } from './ClassSheet';
import { Fan } from './Fan';
import { useHand } from './hand';
import type { KeepState } from './keep-queue';
import { LearningPlace } from './LearningPlace';
import { LEARNING } from './learning-seam';
import { LightSheet, PLAIN_LIGHT, type ShownSmaller } from './LightSheet';
import { NextPreview } from './NextPreview';
import { Questions } from './Questions';
import type { LearningProps, PracticePicture, ToolSurface } from './seams';
import { Stage } from './Stage';
import { toolHint } from './tool-hints';
import { TopBar } from './TopBar';
import { traceKeys } from './trace-keys';
import { TraceNotes } from './TraceNotes';
import { TracePanel } from './TracePanel';
import { enteredState, traceReducer, type Question, type ToolId, type TraceState } from './trace-state';
import styles from './Tracing.module.css';
import { useCrossHair } from './use-cross-hair';
import { useCanvas, useEasel, useEaselFacts, useTroubles, type Sheet } from './use-easel';
import { useLetters } from './use-letters';
import { useNext } from './use-next';
import { useSaving } from './use-saving';
import { useShift } from './use-shift';
import { useTool } from './use-tool';
import { downloadWays } from './downloads';
import { WaysSheet } from './WaysSheet';

/** Where the screen leads; the route makes the links. */
export interface TraceLinks {
  readonly back: (content: ReactNode, className: string, name: string) => ReactNode;
  readonly leave: (words: string) => ReactNode;
  /** null where there is none yet. */
  readonly dashboard: ((words: string) => ReactNode) | null;
  readonly library: ((image: TraceImage, words: string) => ReactNode) | null;
  /** What experts have besides, for the photograph at hand; absent elsewhere. */
  readonly expert?: (image: TraceImage) => ReactNode;
}

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge'>;
  readonly image: TraceImage;
  readonly work: FreeDrawWork;
  readonly version: 1 | 3;
  /** Version 1 was asked for, and the work holds areas, which only version 3 knows. */
  readonly isRaised?: boolean;
  readonly uid: string | null;
  readonly isExpert: boolean;
  readonly links: TraceLinks;
  /** Verified people and admins: dashboard, library and download (2§2). */
  readonly mayMore: boolean;
  readonly onSignIn: () => void;
  readonly onGo: (image: TraceImage) => void;
  /** Who teaches, in the place of the walkthrough over photographs. */
  readonly teacher?: ComponentType<LearningProps>;
}

type Sheets = 'light' | 'class' | 'ways' | null;

/** The screen of tracing for one photograph. */
export function Tracing({
  repositories,
  image,
  work,
  version,
  isRaised = false,
  uid,
  isExpert,
  links,
  mayMore,
  onSignIn,
  onGo,
  teacher,
}: Props) {
  const { analyses, edge } = repositories;
  const [state, dispatch] = useReducer(traceReducer, null, () => enteredState());
  const [sheet, setSheet] = useState<Sheets>(null);
  const [light, setLight] = useState<PictureLight>(PLAIN_LIGHT);
  const [size, setSize] = useState<Sheet['size']>(work.size);
  const [smaller, setSmaller] = useState<ShownSmaller | null>(null);
  const [practice, setPractice] = useState<PracticePicture | null>(null);
  const [isTraining, setTraining] = useState(false);
  const [outline, setOutline] = useState<string | null>(null);
  const [hasStates, setStates] = useState(true);
  const [hasProgress, setProgress] = useState(true);
  const [keep, setKeep] = useState<KeepState>({ waiting: 0, failed: null });
  const [failed, setFailed] = useState<unknown>(null);
  const [head, setHead] = useState<HTMLElement | null>(null);
  const [words, say] = useWords();
  const viewer = useRef<ViewerHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const hand = useHand();

  const ownPicture = usePicture(analyses, image);
  const journal = useMemo(() => analyses.journal(image), [analyses, image]);
  const isLooked = work.readOnly !== null || uid === null;
  const own = useEasel(
    useMemo(
      () => ({ key: `image ${image.id}`, version, marks: work.marks, undone: work.undone, journal, size }),
      [image.id, version, work, journal, size],
    ),
    { say, onFailed: setFailed, onKeep: setKeep },
  );
  const practised = useEasel(
    useMemo(
      () =>
        practice === null
          ? null
          : {
              key: `practice ${practice.picture.key}`,
              version,
              marks: practice.marks ?? [],
              undone: [],
              journal: null,
              size: { width: practice.width, height: practice.height },
            },
      [practice, version],
    ),
    { say, onFailed: setFailed, onKeep: nothing },
  );
  const isPractice = practice !== null;
  const isReadOnly = isLooked && !isPractice;
  const parts = isPractice ? practised : own;
  const facts = useEaselFacts(parts);
  const canvas = useCanvas(parts);
  const troubles = useTroubles(parts);
  const letters = useLetters(parts);

  const surface = useMemo(
    (): ToolSurface => ({
      pixels: (width) => viewer.current?.pixels(width) ?? Promise.resolve(null),
      size: () => practice ?? size,
      reach: (px) => reachOf(viewer.current, px),
    }),
    [practice, size],
  );
  const easel = parts?.easel ?? null;
  const refuses = useCallback((): string | null => {
    if (uid === null && !isPractice) return 'Sign in, or say who you are, before you paint.';
    if (isReadOnly) return 'This analysis is only to look at.';
    if (easel?.facts.isReady !== true) return 'The picture is still being opened.';
    if (easel.facts.isHeld) return 'It is being saved. Go on in a moment.';
    if (easel.cover.flag !== null)
      return `The picture is flagged: ${easel.cover.flag.type.label}. Undo the flag to paint.`;
    return null;
  }, [uid, isPractice, isReadOnly, easel]);
  const held = heldTool(state);
  const inHand = useTool({ easel, tool: held, surface, refuses, say });
  useEffect(() => {
    easel?.paintWith(isReadOnly || held === 'move' ? null : held === 'erase' ? 'erase' : state.paints);
  }, [easel, isReadOnly, held, state.paints]);
  const tools = version === 1 ? NO_TOOLS : MORE_TOOLS;
  const offered = tools.find(({ id }) => id === state.tool);
  const cross = useCrossHair({
    isOn: state.byKeys,
    viewer,
    place,
    pen: inHand.pen,
    kind: offered?.press ?? 'hold',
    tool: state.tool,
  });
  useShift(dispatch, () => !state.byKeys && !cross.isDown);

  const next = useNext({ analyses, image, isExpert, isReady: facts.isReady && !isPractice, onGo });
  const saving = useSaving({ analyses, image, work, version, size, parts: own, viewer, uid, onSaved: next.show });

  const doing = {
    undo: () => {
      if (inHand.stepBack()) cross.lift();
      else easel?.undo();
    },
    redo: () => easel?.redo(),
    zap: () => {
      const why = refuses();
      if (why === null) dispatch({ type: 'zap' });
      else say(why);
    },
  };
  const answer = ({ paints }: Question): void => {
    dispatch({ type: 'answered' });
    inHand.leave();
    easel?.fill(paints);
  };
  const ways = mayMore && own !== null && size !== null ? downloadWays({ image, parts: own, size }) : [];
  const isOwed = keep.waiting > 0 && keep.failed !== null;
  useEffect(() => {
    if (!isOwed) return undefined;
    // The page would take what is not kept along with it.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOwed]);
  const isCovered = (sheet !== null && sheet !== 'light') || state.question !== null || next.shown !== null;
  useKeys(
    traceKeys(
      state,
      dispatch,
      {
        ...doing,
        zoom: (factor) => viewer.current?.zoomBy(factor),
        fit: () => viewer.current?.fit(),
        pan: (x, y) => viewer.current?.panBy(x, y),
        rotate: () => viewer.current?.rotate(),
        help: () => setSheet('class'),
        light: () => setSheet('light'),
        byKeys: () => dispatch({ type: 'by-keys', on: !state.byKeys }),
        step: cross.step,
        press: state.tool === 'move' ? () => say('Take up the pen first: P.') : cross.press,
        confirm: () => {
          cross.lift();
          inHand.confirm();
        },
        leave: () => {
          cross.lift();
          inHand.leave();
        },
      },
      isReadOnly,
      hasStates,
      tools,
    ),
    { enabled: !isCovered },
  );

  return (
    <main className={styles.trace} data-ready={facts.isReady}>
      <Stage
        viewer={viewer}
        place={place}
        picture={practice?.picture ?? ownPicture}
        hand={state.tool === 'move' ? 'move' : 'paint'}
        pen={inHand.pen}
        light={light}
        marks={canvas}
        areMarksHidden={state.areMarksHidden}
        letters={letters}
        draft={facts.draft}
        outline={outline}
        cross={cross.at}
        isPenDown={cross.isDown}
        penPart={PEN_PART}
        toolHand={hand}
        onSize={({ width, height, shownAt }) => {
          // The same one while it is the same picture: zooming draws nothing anew here.
          setSmaller((before) =>
            shownAt === null ? null : before?.shownAt === shownAt ? before : { width, height, shownAt },
          );
          if (!isPractice) setSize((before) => before ?? { width, height });
        }}
        onFailed={setFailed}
      >
        <TopBar
          image={image}
          back={links.back}
          edge={edge}
          keep={keep}
          isReadOnly={isReadOnly}
          isPractice={isPractice}
          onMore={() => setSheet('ways')}
        />
        <Fan
          tool={state.tool}
          onTool={(tool) => dispatch({ type: 'tool', tool })}
          more={tools}
          canUndo={(facts.canUndo || facts.draft !== null) && !isReadOnly}
          canRedo={facts.canRedo && !isReadOnly}
          onUndo={doing.undo}
          onRedo={doing.redo}
          onZap={doing.zap}
          onHelp={() => setSheet('class')}
          isReadOnly={isReadOnly}
          hand={hand}
        />
        <p className={styles.words} role="status">
          {words ??
            (state.byKeys
              ? `Painting by keys: arrows move, Space puts the pen ${cross.isDown ? 'up' : 'down'}, K ends it.`
              : '')}
        </p>
        <LearningPlace
          teacher={teacher ?? LEARNING}
          setOutline={setOutline}
          setStates={setStates}
          setProgress={setProgress}
          parts={parts}
          state={state}
          dispatch={dispatch}
          practice={practice}
          setPractice={setPractice}
          isTraining={isTraining}
          setTraining={setTraining}
          uid={uid}
          isExpert={isExpert}
          head={head}
        />
        {sheet === 'light' && (
          <LightSheet
            light={light}
            smaller={smaller}
            onLight={setLight}
            areMarksHidden={state.areMarksHidden}
            onHide={(hidden) => dispatch({ type: 'hide-marks', hidden })}
            onRotate={() => viewer.current?.rotate()}
            onClose={() => setSheet(null)}
          />
        )}
      </Stage>
      <TracePanel
        parts={parts}
        state={state}
        isReadOnly={isReadOnly}
        hasStates={hasStates}
        hasProgress={hasProgress}
        isPractice={isPractice}
        isSaving={saving.isSaving}
        canSkip={!saving.isSaving}
        head={setHead}
        notes={
          isPractice ? null : (
            <TraceNotes
              isRaised={isRaised}
              work={work}
              isFresh={facts.marks === work.marks.length && next.shown === null}
              uid={uid}
              keep={keep}
              failed={failed}
              saveFailed={saving.failed}
              troubles={troubles}
              onSaveAgain={saving.save}
              onSignIn={onSignIn}
              onKeepAgain={() => void own?.keep?.settle().catch(nothing)}
            />
          )
        }
        onGroup={(group) => dispatch({ type: 'group', group })}
        onChoose={(id) => dispatch({ type: 'choose', id })}
        onModifier={(mod) => dispatch({ type: 'modifier', mod })}
        onSkip={next.skip}
        onSave={saving.save}
      />
      <Questions
        question={state.question}
        marks={facts.marks}
        onYes={answer}
        onNo={() => dispatch({ type: 'answered' })}
      />
      {sheet === 'class' && <ClassSheet of={state.paints} hint={toolHint(state.tool)} onClose={() => setSheet(null)} />}
      {sheet === 'ways' && (
        <WaysSheet
          onClose={() => setSheet(null)}
          onLight={() => setSheet('light')}
          hasTraining={teacher === undefined}
          isTraining={isTraining}
          onTraining={(on) => {
            setTraining(on);
            setSheet(null);
          }}
          dashboard={mayMore ? (links.dashboard?.('Dashboard') ?? null) : null}
          expert={links.expert?.(image)}
          library={mayMore ? (links.library?.(image, 'Library of this survey') ?? null) : null}
          downloads={ways}
        />
      )}
      {next.shown !== null && (
        <NextPreview
          analyses={analyses}
          saved={next.shown.saved ? 'Saved on this tablet' : null}
          isSkipped={next.shown.skipped}
          next={next.shown.next}
          onStart={onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
          leave={links.leave}
        />
      )}
    </main>
  );
}

const nothing = (): void => undefined;

/** Version 1 knows lines and fills alone. */
const NO_TOOLS: typeof MORE_TOOLS = [];

/** Steps to the right and down on the screen, as the picture lies: it may be turned. */
function reachOf(viewer: ViewerHandle | null, px: number): ReturnType<ToolSurface['reach']> {
  if (viewer === null) return null;
  const [[x0, y0], [x1, y1], [x2, y2]] = [viewer.placeOf(0, 0), viewer.placeOf(px, 0), viewer.placeOf(0, px)];
  const [x, y] = [Math.hypot(x1 - x0, x2 - x0), Math.hypot(y1 - y0, y2 - y0)];
  return x > 0 && y > 0 ? { x, y } : null;
}

/** What is being made waits while Shift lends the hand that moves: corners that were set are not given up for it. */
const heldTool = ({ tool, before }: TraceState): ToolId => (tool === 'move' && before !== null ? before : tool);

/** The pen's width by the picture's: the same on every picture. */
const PEN_PART = ((rule) => rule.penWidth / rule.width)(rasterRule(3, 1, 1));

/** How long a word to the person stands, ms. */
const WORDS_MS = 6000;

/** What was said last, for some seconds. */
function useWords(): readonly [string | null, (words: string) => void] {
  const [said, setSaid] = useState<{ readonly words: string } | null>(null);
  const say = useCallback((words: string) => setSaid({ words }), []);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setSaid(null), WORDS_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return [said?.words ?? null, say];
}

function usePicture(analyses: AnalysisRepository, image: TraceImage): ViewedPicture {
  return useMemo(
    () => ({
      key: image.id,
      open: (size) => analyses.picture(image, size),
      openCorrected: image.hasCorrected ? (size) => analyses.corrected(image, size) : null,
      name: image.name === '' ? 'Photograph' : `Photograph ${image.name}`,
    }),
    [analyses, image],
  );
}
