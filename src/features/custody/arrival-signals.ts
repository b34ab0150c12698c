import { LocalSetting } from '../../platform/local-settings';

/** Signals of this tablet when the box stored something: a soft tone, a tick, a short buzz. */
interface ArrivalSignals {
  readonly sound: boolean;
  readonly tick: boolean;
  readonly buzz: boolean;
}

const DEFAULTS: ArrivalSignals = { sound: true, tick: false, buzz: true };
const signals = new LocalSetting<ArrivalSignals>('reef.signals', parse, JSON.stringify);
let audio: AudioContext | undefined;

/** Soft sines an octave below a ringtone, Hz: the notes of "done", of a survey, and the tick. */
const DONE_HZ = [523.25, 659.25, 783.99] as const;
const SURVEY_HZ = [523.25, 659.25] as const;
const TICK_HZ = [880] as const;

export const arrivalSignals = signals.get;

export const onArrivalSignalsChange = signals.subscribe;

export function setArrivalSignals(change: Partial<ArrivalSignals>): void {
  signals.set({ ...signals.get(), ...change });
}

/** Unlocks sound at the first touch or key: browsers refuse it earlier and log an error. */
export function unlockSound(): () => void {
  const ready = (): void => {
    audio ??= new AudioContext();
    if (audio.state === 'suspended') void audio.resume();
  };
  addEventListener('pointerdown', ready, { once: true });
  addEventListener('keydown', ready, { once: true });
  return () => {
    removeEventListener('pointerdown', ready);
    removeEventListener('keydown', ready);
  };
}

/** Plays a signal as the person's settings allow. Silent before the first touch. */
export function playSignal(of: 'tick' | 'survey' | 'done'): void {
  const { sound: isSoundOn, tick, buzz } = signals.get();
  if (of === 'tick') {
    if (tick) sound(TICK_HZ, 0.04, 0.05);
    return;
  }
  if (isSoundOn) sound(of === 'done' ? DONE_HZ : SURVEY_HZ, 0.16, 0.35);
  // Vibration needs a touch before, and some browsers lack it.
  if (buzz && navigator.userActivation?.hasBeenActive === true) navigator.vibrate?.(of === 'done' ? [60, 80, 120] : 60);
}

function sound(notes: readonly number[], apart: number, length: number): void {
  if (audio === undefined || audio.state !== 'running') return;
  const context = audio;
  notes.forEach((frequency, i) => {
    const at = context.currentTime + i * apart;
    const tone = context.createOscillator();
    const loudness = context.createGain();
    tone.frequency.value = frequency;
    loudness.gain.setValueAtTime(0, at);
    loudness.gain.linearRampToValueAtTime(0.12, at + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(loudness).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
  });
}

function parse(stored: string | null): ArrivalSignals {
  try {
    const kept: unknown = JSON.parse(stored ?? 'null');
    if (typeof kept !== 'object' || kept === null) return DEFAULTS;
    const on = (name: keyof ArrivalSignals): boolean =>
      ((kept as Record<string, unknown>)[name] as boolean | undefined) ?? DEFAULTS[name];
    return { sound: on('sound') === true, tick: on('tick') === true, buzz: on('buzz') === true };
  } catch {
    return DEFAULTS;
  }
}
