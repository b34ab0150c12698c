import type pg from 'pg';
import type { OpKind } from '../../../src/domain/op/op';

/** Characters of documents that share a transaction or a query; one larger document has its own. */
export const PORTION_CHARS = 2 * 1024 * 1024;

/** Sizes of stored documents by `kind docId`, in characters, roughly; a missing one has none. */
export async function loadSizes(
  client: Pick<pg.ClientBase, 'query'>,
  wanted: readonly { readonly kind: OpKind; readonly docId: string }[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ kind: OpKind; doc_id: string; chars: number }>({
    name: 'docs-sizes',
    text: `SELECT d.kind, d.doc_id, coalesce(d.fold_chars, pg_column_size(d.folded)) AS chars
           FROM unnest($1::text[], $2::text[]) AS k(kind, doc_id) JOIN docs d ON d.kind = k.kind AND d.doc_id = k.doc_id`,
    values: [wanted.map(({ kind }) => kind), wanted.map(({ docId }) => docId)],
  });
  return new Map(rows.map(({ kind, doc_id: docId, chars }) => [`${kind} ${docId}`, chars]));
}

/** Item that touches a document, and its own characters besides. */
export interface Sized {
  readonly document: string;
  readonly chars: number;
}

/** Splits items in their order, so that each portion and its documents have at most {@link PORTION_CHARS}, or one item. */
export function inPortions<Item>(
  items: readonly Item[],
  sizes: ReadonlyMap<string, number>,
  sizedOf: (item: Item) => Sized,
): Item[][] {
  const portions: Item[][] = [];
  let touched = new Set<string>();
  let chars = Infinity;
  for (const item of items) {
    const { document, chars: own } = sizedOf(item);
    const whole = own + (sizes.get(document) ?? 0);
    chars += touched.has(document) ? own : whole;
    if (chars > PORTION_CHARS) {
      portions.push([]);
      touched = new Set();
      chars = whole;
    }
    touched.add(document);
    portions.at(-1)?.push(item);
  }
  return portions;
}
