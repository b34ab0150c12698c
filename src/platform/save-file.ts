/** A file that a person saves: straight to the disk where the browser can, else as a download. */
export interface SaveTarget {
  /** `disk`: written where the person chose, and read back from there. `download`: put together first, then handed to the browser. */
  readonly destination: 'disk' | 'download';
  readonly write: (part: Uint8Array<ArrayBuffer> | Blob) => Promise<void>;
  /** Ends writing and gives the file to read. */
  readonly finish: () => Promise<Blob>;
  /** Gives a download to the browser; on disk there is nothing left to do. */
  readonly deliver: () => void;
  /** Takes back what was written. */
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
 * Asks the person where to put a file. Call it from a press: browsers allow it only then.
 *
 * @returns null where the person thought better of it
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
    // A browser that has the picker and forbids it (a managed tablet): the other way works there too.
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

/** Parts that are blobs of the storage stay there: the whole is put together without copying them. */
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

/** Gives a file to the browser to download. */
export function startDownload(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the address on its own time; an hour is enough for a gigabyte on any stick.
  setTimeout(() => URL.revokeObjectURL(address), 3_600_000);
}
