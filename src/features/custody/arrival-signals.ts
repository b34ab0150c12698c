/** How a tablet makes itself noticed when the box has something: a soft tone, a tick, a short buzz. */
export interface ArrivalSignals {
  /** A tone when all of a survey is on the box, and when everything is. */
  readonly sound: boolean;
  /** A tick for each photograph. */
  readonly tick: boolean;
  readonly buzz: boolean;
}

const KEY = 'reef.signals';
const DEFAULTS: ArrivalSignals = { sound: true, tick: false, buzz: true };
const listeners = new Set<() => void>();
let signals: ArrivalSignals = read();
let audio: AudioContext | undefined;

/** Soft sines, an octave below what a phone rings with: the notes of "done", and the tick. Hz. */
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
    console.warn('The choice of sounds could not be kept; it holds until the page is closed.', error);
  }
  for (const listener of [...listeners]) listener();
}

/**
 * Readies the sound with the first touch or key: a browser lets no page sound before one, and says so as an error if it
 * tries.
 */
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

/** Gives a sign, as the person wants it. Without a touch before there is no sound, and nothing is said of it. */
export function playSignal(of: 'tick' | 'survey' | 'done'): void {
  if (of === 'tick') {
    if (signals.tick) sound(TICK_HZ, 0.04, 0.05);
    return;
  }
  if (signals.sound) sound(of === 'done' ? DONE_HZ : SURVEY_HZ, 0.16, 0.35);
  // A page that was never touched may not buzz; a browser without buzzing has no such function.
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
    // Nothing readable was kept: as at first.
    return DEFAULTS;
  }
}
