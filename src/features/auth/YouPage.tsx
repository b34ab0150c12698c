import { useState } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import type { Repositories } from '../../data/repositories';
import { Button } from '../../ui/Button';
import { chooseTheme, chosenTheme, PageHead, useLive, type Theme } from '../shell';
import { PersonForm } from './PersonForm';
import styles from './YouPage.module.css';

const THEMES: readonly { readonly theme: Theme; readonly word: string }[] = [
  { theme: 'auto', word: 'As the tablet' },
  { theme: 'light', word: 'Light' },
  { theme: 'dark', word: 'Dark' },
  { theme: 'deck', word: 'Deck' },
];

/** Who is at the tablet, and how the screen looks. */
export function YouPage({ repositories }: { readonly repositories: Pick<Repositories, 'people' | 'edge'> }) {
  const person = useLive(repositories.people.current);
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <>
      <PageHead title={person === null ? 'Who is at this tablet?' : `${person.name.first} ${person.name.last}`} sub={person === null ? 'Your name stands with each survey and photograph.' : person.email} />
      <main className={styles.page}>
        {person === null ? (
          <PersonForm repositories={repositories} />
        ) : (
          <section className={styles.card}>
            <h2>Hand the tablet on</h2>
            <p>What you added stays on this tablet and is sent, whoever is here next.</p>
            <Button onPress={() => void repositories.people.leave()}>Leave this tablet</Button>
          </section>
        )}
        <section className={styles.card}>
          <RadioGroup
            className={styles.group ?? ''}
            value={theme}
            onChange={(value) => {
              const next = THEMES.find((choice) => choice.theme === value)?.theme ?? 'auto';
              chooseTheme(next);
              setTheme(next);
            }}
          >
            <Label className={styles.label ?? ''}>Screen</Label>
            <div className={styles.segments}>
              {THEMES.map((choice) => (
                <Radio key={choice.theme} value={choice.theme} className={styles.segment ?? ''}>
                  {choice.word}
                </Radio>
              ))}
            </div>
          </RadioGroup>
          <p className={styles.help}>Deck is for sun and wet hands: larger targets, thicker lines, more contrast.</p>
        </section>
      </main>
    </>
  );
}
