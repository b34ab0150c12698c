// Bundle of src/app/first-reef: one script with its styles, apart from the app's, so that a visitor waits for no other file.
import { createHash } from 'node:crypto';
import { build } from 'vite';

const STYLES = '%first-reef-styles%';

/**
 * @param root folder of the sources
 * @param entry file that exports `showFirstReef`
 * @param target engines, as Vite names them
 * @returns name of the file in the built app, with its hash, and the script
 */
export async function bundleFirstReef(root, entry, target) {
  const result = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'error',
    define: { FIRST_REEF_STYLES: JSON.stringify(STYLES) },
    build: {
      write: false,
      target,
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        // Takes only the used parts of each module; styles come with the classes that are used.
        treeshake: { moduleSideEffects: (id) => /\.css(\?|$)/.test(id) },
      },
    },
  });
  const { output } = Array.isArray(result) ? result[0] : result;
  const chunks = output.filter(({ type }) => type === 'chunk');
  if (chunks.length !== 1) throw new Error(`${entry} must be bundled into one script, not ${chunks.length}.`);
  const styles = output.flatMap((part) => (part.fileName.endsWith('.css') ? [String(part.source)] : [])).join('');
  const parts = chunks[0].code.split(new RegExp(`["'\`]${STYLES}["'\`]`));
  if (parts.length !== 2) throw new Error(`${entry} must use its styles once.`);
  const code = parts.join(JSON.stringify(styles.trim()));
  const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8);
  return { fileName: `assets/first-reef-${hash}.js`, code };
}
