import type { DroppedItem } from './picked-files';

/** Call it in the drop handler: the browser empties the list right after. */
export function droppedItems(transfer: DataTransfer): readonly DroppedItem[] {
  return Array.from(transfer.items).flatMap((item): DroppedItem[] => {
    if (item.kind !== 'file') return [];
    const entry = item.webkitGetAsEntry();
    if (entry !== null) return [toDroppedItem(entry)];
    const file = item.getAsFile();
    return file === null ? [] : [{ kind: 'file', getFile: () => Promise.resolve(file) }];
  });
}

function toDroppedItem(entry: FileSystemEntry): DroppedItem & { readonly name: string } {
  if (isDirectory(entry)) return { kind: 'directory', name: entry.name, getEntries: () => readEntries(entry) };
  const file = entry as FileSystemFileEntry;
  return {
    kind: 'file',
    name: entry.name,
    getFile: () => new Promise<File>((resolve, reject) => file.file(resolve, reject)),
  };
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** Up to a hundred at a time, none at the end. */
async function* readEntries(directory: FileSystemDirectoryEntry): AsyncIterable<DroppedItem> {
  const reader = directory.createReader();
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return;
    for (const entry of batch.sort((a, b) => (a.name < b.name ? -1 : 1))) yield toDroppedItem(entry);
  }
}
