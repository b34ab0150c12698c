import { useEffect, useState, type FormEvent } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { notify } from '../../../ui/feedback/notices';
import styles from './YouPage.module.css';

/** Name of this tablet, as the box and its lists show it. */
export function TabletNameCard({ name }: Pick<Repositories['tablet'], 'name'>) {
  const [stored, setStored] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    let gone = false;
    name.read().then(
      (read) => {
        if (gone) return;
        setStored(read);
        setTyped(read);
      },
      (error: unknown) => console.warn('The name of this tablet could not be read.', error),
    );
    return () => {
      gone = true;
    };
  }, [name]);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      await name.rename(typed);
      const now = await name.read();
      setStored(now);
      setTyped(now);
      notify({ icon: 'check', title: `This tablet is now called ${now}` });
    } catch (error) {
      notify({ icon: 'alert', title: 'Not renamed', text: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <section className={styles.card} id="tablet" aria-labelledby="tablet-title" tabIndex={-1}>
      <h2 id="tablet-title">This tablet</h2>
      <form className={styles.rename} onSubmit={(event) => void save(event)} noValidate>
        <TextField
          label="Name of this tablet"
          name="tablet"
          value={typed}
          onChange={setTyped}
          help="The box and the other tablets show it, such as “Bow” or “Tablet 3”."
        />
        <Button type="submit" isDisabled={stored === null || typed.trim() === stored}>
          Rename
        </Button>
      </form>
    </section>
  );
}
