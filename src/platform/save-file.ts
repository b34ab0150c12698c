interface SaveTarget {
  /**
   * `disk`: written to the chosen place and read back from it. `download`: assembled first, then handed to the browser.
   */
  readonly destination: 'disk' | 'download';
  readonly write: (part: Uint8Array<ArrayBuffer> | Blob) => Promise<void>;
  readonly finish: () => Promise<Blob>;
  /** Starts the browser's download; does nothing on disk. */
  readonly deliver: () => void;
  readonly abandon: () => Promise<void>;
}

interface PickedFile {
  readonly createWritable: () => Promise<{
    write: (part: Uint8Array<ArrayBuffer> | Blob) => Promise<void>;
    close: () => Promise<void>;
    abort: () => Promise<void>;
  }>;
  readonly getFile: () => Promise<File>;
  readonly remove?: () => Promise<void>;
}

type Picker = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<PickedFile>;

/**
 * Asks the person for a place to save. Browsers allow it only during a press.
 * @returns null if the person cancelled
 */
export async function chooseSaveTarget(name: string, description: string): Promise<SaveTarget | null> {
  const picker = (window as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker === undefined) return download(name);
  try {
    return await onDisk(
      await picker({ suggestedName: name, types: [{ description, accept: { 'application/x-tar': ['.tar'] } }] }),
    );
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    // A managed tablet may forbid the picker; the download works there too.
    if (error instanceof DOMException && error.name === 'SecurityError') return download(name);
    throw error;
  }
}

async function onDisk(picked: PickedFile): Promise<SaveTarget> {
  const writable = await picked.createWritable();
  let closed = false;
  return {
    destination: 'disk',
    write: (part) => writable.write(part),
    finish: async () => {
      await writable.close();
      closed = true;
      return picked.getFile();
    },
    deliver: () => undefined,
    abandon: async () => {
      if (!closed) await writable.abort();
      else await picked.remove?.();
    },
  };
}

/** Assembles the parts without copying those that are blobs in storage. */
function download(name: string): SaveTarget {
  let parts: (Uint8Array<ArrayBuffer> | Blob)[] = [];
  let file: Blob | undefined;
  return {
    destination: 'download',
    write: async (part) => void parts.push(part),
    finish: async () => (file = new Blob(parts, { type: 'application/x-tar' })),
    deliver: () => {
      if (file !== undefined) startDownload(name, file);
    },
    abandon: async () => {
      parts = [];
      file = undefined;
    },
  };
}

export function startDownload(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the address asynchronously; an hour is enough for a gigabyte on any stick.
  setTimeout(() => URL.revokeObjectURL(address), 3_600_000);
}
