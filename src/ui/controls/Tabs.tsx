import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';
import styles from './Tabs.module.css';

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly word: string; readonly children: ReactNode }[];
  readonly value: T;
  readonly onChange: (id: T) => void;
}

export function Tabs<T extends string>({ label, tabs, value, onChange }: Props<T>) {
  return (
    <AriaTabs
      selectedKey={value}
      onSelectionChange={(key) => {
        const tab = tabs.find(({ id }) => id === key);
        if (tab !== undefined) onChange(tab.id);
      }}
    >
      <TabList aria-label={label} className={styles.list ?? ''}>
        {tabs.map(({ id, word }) => (
          <Tab key={id} id={id} className={styles.tab ?? ''}>
            {word}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, children }) => (
        <TabPanel key={id} id={id} className={styles.panel ?? ''}>
          {children}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
