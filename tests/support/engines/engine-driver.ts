/** Place in the window: x and y, CSS px. */
export type Point = readonly [x: number, y: number];

export type NamedKey = 'Enter' | 'Tab';

/** Browser engine with one window, driven through its own protocol; a page in it is an {@link EnginePage}. */
export interface EngineDriver {
  /** Name and version, as the engine reports them. */
  readonly version: string;
  /** Opens an address and waits until it is loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page and waits for its promise; the result must be JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Types into the focused field. */
  type(text: string): Promise<void>;
  press(key: NamedKey): Promise<void>;
  /** Presses the mouse at the first place, moves through the others and releases it. */
  drag(places: readonly Point[]): Promise<void>;
  /** Chooses files for an input, without the chooser, which is a window of the system. */
  chooseFiles(selector: string, files: readonly string[]): Promise<void>;
  /** Console errors and uncaught errors of all pages so far, one each. */
  complaints(): Promise<readonly string[]>;
  /** PNG of the window. */
  screenshot(): Promise<Buffer>;
  /** Ends the engine; the profile stays. */
  close(): Promise<void>;
}

/** Options for opening an engine over a profile. */
export type OpenEngine = (profile: string) => Promise<EngineDriver>;
