import buttonStyles from './ReloadButton.module.css';

/** Loads the page again. A plain button: it has to stand where nothing else could be loaded. */
export function ReloadButton() {
  return (
    <button type="button" className={buttonStyles.button} onClick={() => window.location.reload()}>
      Load again
    </button>
  );
}
