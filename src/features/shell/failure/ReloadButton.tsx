import buttonStyles from './ReloadButton.module.css';

/** Reloads the page. A plain button, since it must work when nothing else could be loaded. */
export function ReloadButton() {
  return (
    <button type="button" className={buttonStyles.button} onClick={() => window.location.reload()}>
      Reload
    </button>
  );
}
