import { useState, type CSSProperties } from 'react';
import { Button, ToggleButton, Toolbar } from 'react-aria-components';
import { DrawingIcon } from '../../../../ui/display/DrawingIcon';
import type { DrawingIconName } from '../../../../ui/display/drawing-icon-paths';
import type { IconName } from '../../../../ui/display/icon-paths';
import styles from './ThumbToolbar.module.css';
import type { OfferedTool } from '../../tools/tool';
import type { ToolId } from '../../tools/tool';

interface Props {
  readonly tool: ToolId;
  readonly onTool: (tool: ToolId) => void;
  readonly areaTools: readonly OfferedTool[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  readonly onZap: () => void;
  readonly onHelp: () => void;
  readonly onRotate: () => void;
  readonly isReadOnly: boolean;
  readonly hand: 'left' | 'right';
}

type Arc = 'inner' | 'outer' | 'far';

const arcPosition = (arc: Arc, degrees: number): { className: string; style: CSSProperties } => ({
  className: `${styles.tool} ${styles[arc]}`,
  style: {
    '--cos': Math.cos((degrees * Math.PI) / 180),
    '--sin': Math.sin((degrees * Math.PI) / 180),
  } as CSSProperties,
});

/**
 * Toolbar of two arcs around the thumb, mirrored for the left hand, and a third one for areas while it is open; a row
 * under the picture on a small screen. Arrow keys move between tools.
 */
export function ThumbToolbar({
  tool,
  onTool,
  areaTools,
  canUndo,
  canRedo,
  onUndo,
  onRedo,
  onZap,
  onHelp,
  onRotate,
  isReadOnly,
  hand,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const areaTool = areaTools.find(({ id }) => id === tool);
  const toggle = (
    id: ToolId,
    word: string,
    icon: IconName | DrawingIconName,
    arc: Arc,
    degrees: number,
    isDisabled = isReadOnly,
  ) => (
    <ToggleButton
      key={id}
      data-control={id}
      {...arcPosition(arc, degrees)}
      isSelected={tool === id}
      onChange={() => onTool(id)}
      isDisabled={isDisabled}
    >
      <DrawingIcon name={icon} />
      <span className={styles.word}>{word}</span>
    </ToggleButton>
  );
  const press = (
    word: string,
    icon: IconName | DrawingIconName,
    arc: Arc,
    degrees: number,
    onPress: () => void,
    isDisabled: boolean,
  ) => (
    <Button data-control={icon} {...arcPosition(arc, degrees)} onPress={onPress} isDisabled={isDisabled}>
      <DrawingIcon name={icon} />
      <span className={styles.word}>{word}</span>
    </Button>
  );
  return (
    <Toolbar aria-label="Tools" className={`${styles.fan} ${hand === 'left' ? styles.left : ''}`}>
      <svg className={styles.arc} viewBox="-60 -360 420 420" aria-hidden="true">
        <path className={styles.band} d="M0 -228A228 228 0 0 1 228 0" />
        <path className={styles.band} d="M0 -136A136 136 0 0 1 136 0" />
        {isOpen && <path className={styles.band} d="M0 -330A330 330 0 0 1 330 0" />}
      </svg>
      {toggle('move', 'Move', 'move', 'outer', 90, false)}
      {toggle('erase', 'Erase', 'eraser', 'outer', 68)}
      {toggle('pen', 'Pen', 'pen', 'outer', 45)}
      {press('Fill rest', 'fill', 'outer', 22, onZap, isReadOnly)}
      {press('Help', 'info', 'outer', 0, onHelp, false)}
      {press('Undo', 'undo', 'inner', 84, onUndo, !canUndo)}
      {/* 2§4: "Rotate toggles orientation (mobile only)"; elsewhere it is beside the light. */}
      <Button data-control="rotate" className={`${styles.tool} ${styles.small}`} onPress={onRotate}>
        <DrawingIcon name="rotate" />
        <span className={styles.word}>Rotate</span>
      </Button>
      {press('Redo', 'redo', 'inner', 6, onRedo, !canRedo)}
      {areaTools.length > 0 && (
        <Button
          {...arcPosition('inner', 45)}
          data-control="areas"
          data-selected={areaTool !== undefined || undefined}
          onPress={() => setOpen(!isOpen)}
          isDisabled={isReadOnly}
          aria-expanded={isOpen}
        >
          <DrawingIcon name={isOpen ? 'close' : (areaTool?.icon ?? 'more')} />
          <span className={styles.word}>{isOpen || areaTool === undefined ? 'Areas' : areaTool.label}</span>
        </Button>
      )}
      {isOpen && areaTools.map(({ id, label, icon }, index) => toggle(id, label, icon, 'far', 66 - index * 21))}
    </Toolbar>
  );
}
