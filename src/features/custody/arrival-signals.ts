/** Signals of this tablet when the box stored something: a soft tone, a tick, a short buzz. */
export interface ArrivalSignals {
  readonly sound: boolean;
  readonly tick: boolean;
  readonly buzz: boolean;
}

const KEY = 'reef.signals';
const DEFAULTS: ArrivalSignals = { sound: true, tick: false, buzz: true };
const listeners = new Set<() => void>();
let signals: ArrivalSignals = read();
let audio: AudioContext | undefined;

/** Soft sines an octave below a ringtone, Hz: the notes of "done", of a survey, and the tick. */
const DONE_HZ = [523.25, 659.25, 783.99] as const;
const SURVEY_HZ = [523.25, 659.25] as const;
const TICK_HZ = [880] as const;

export function arrivalSignals(): ArrivalSignals {
  return signals;
}

export function onArrivalSignalsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setArrivalSignals(change: Partial<ArrivalSignals>): void {
  signals = { ...signals, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(signals));
  } catch (error) {
    console.warn('The sound settings could not be stored; they apply until the page is closed.', error);
  }
  for (const listener of [...listeners]) listener();
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
  if (of === 'tick') {
    if (signals.tick) sound(TICK_HZ, 0.04, 0.05);
    return;
  }
  if (signals.sound) sound(of === 'done' ? DONE_HZ : SURVEY_HZ, 0.16, 0.35);
  // Vibration needs a touch before, and some browsers lack it.
  if (signals.buzz && navigator.userActivation?.hasBeenActive === true)
    navigator.vibrate?.(of === 'done' ? [60, 80, 120] : 60);
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

function read(): ArrivalSignals {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return DEFAULTS;
    const on = (name: keyof ArrivalSignals): boolean =>
      ((kept as Record<string, unknown>)[name] as boolean | undefined) ?? DEFAULTS[name];
    return { sound: on('sound') === true, tick: on('tick') === true, buzz: on('buzz') === true };
  } catch {
    return DEFAULTS;
  }
}
