import { Radio, RadioGroup, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import {
  CATEGORY_GROUPS,
  categoryClass,
  MODIFIERS,
  type CategoryType,
  type ModifierId,
} from '../../../../domain/analysis/free-draw/categories';
import { Chips } from '../../../../ui/controls/Chips';
import styles from './ClassPanel.module.css';
import { formatCover, type Cover } from '../../canvas/cover';
import { Swatch } from '../../stage/Swatch';
import { selectableTypes, typesBySubgroup, type TraceState } from '../trace-state';

interface Props {
  readonly state: Pick<TraceState, 'group' | 'paints' | 'only'>;
  readonly cover: Cover;
  readonly isReadOnly: boolean;
  readonly hasStates: boolean;
  readonly onGroup: (group: TraceState['group']) => void;
  readonly onChoose: (id: string) => void;
  readonly onModifier: (mod: ModifierId) => void;
}

export function ClassPanel({ state, cover, isReadOnly, hasStates, onGroup, onChoose, onModifier }: Props) {
  const groups = CATEGORY_GROUPS.filter(({ id }) => selectableTypes(id, state.only).length > 0);
  return (
    <>
      <Tabs
        data-control="classes"
        className={styles.tabs ?? ''}
        selectedKey={state.group}
        onSelectionChange={(key) => {
          const group = groups.find(({ id }) => id === key);
          if (group !== undefined) onGroup(group.id);
        }}
      >
        <TabList aria-label="Category groups" className={styles.heads ?? ''}>
          {groups.map(({ id, tab, label }) => (
            <Tab key={id} id={id} className={styles.head ?? ''} aria-label={label}>
              {tab}
            </Tab>
          ))}
        </TabList>
        {groups.map(({ id, label }) => (
          <TabPanel key={id} id={id} className={styles.panel ?? ''}>
            <RadioGroup
              aria-label={id === 'flag' ? `${label}: what is wrong?` : `${label}: what are you painting?`}
              isDisabled={isReadOnly}
              value={id === 'flag' ? (cover.flag?.type.id ?? null) : state.paints.type.id}
              onChange={onChoose}
              className={styles.list ?? ''}
            >
              {typesBySubgroup(selectableTypes(id, state.only)).map(({ label: subgroup, types }) => {
                const rows = types.map((type) => (
                  <Row
                    key={type.id}
                    type={type}
                    mod={type === state.paints.type ? state.paints.mod : undefined}
                    share={cover.byType.get(type.id) ?? 0}
                  />
                ));
                return subgroup === null ? (
                  rows
                ) : (
                  <div key={subgroup} role="group" aria-label={subgroup} className={styles.subgroup}>
                    <span className={styles.subhead} aria-hidden="true">
                      {subgroup}
                    </span>
                    {rows}
                  </div>
                );
              })}
            </RadioGroup>
          </TabPanel>
        ))}
      </Tabs>
      {hasStates &&
        state.paints.type.modifiers.length > 0 &&
        state.paints.mod !== undefined &&
        state.group !== 'flag' && (
          <div className={styles.mods}>
            <Chips
              label={`State of ${state.paints.type.label}`}
              options={MODIFIERS.filter(({ id }) => state.paints.type.modifiers.includes(id)).map(({ id, label }) => ({
                value: id,
                label,
              }))}
              value={state.paints.mod}
              onChange={onModifier}
            />
          </div>
        )}
    </>
  );
}

function Row({
  type,
  mod,
  share,
}: {
  readonly type: CategoryType;
  readonly mod: ModifierId | undefined;
  readonly share: number;
}) {
  const percent = formatCover(share);
  const of = categoryClass(type.id, mod) ?? { type, mod };
  return (
    <Radio value={type.id} className={styles.row ?? ''} aria-label={`${type.label}, ${percent}`}>
      <Swatch of={of} />
      <span className={styles.label}>{type.label}</span>
      <span className={`${styles.share} ${share === 0 ? styles.none : ''}`}>{percent}</span>
    </Radio>
  );
}
