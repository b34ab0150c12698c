import { memo, type ReactNode } from 'react';
import { Button, Toolbar } from 'react-aria-components';
import { DrawingIcon } from '../../../ui/display/DrawingIcon';
import type { DrawingIconName } from '../../../ui/display/drawing-icon-paths';
import { Icon } from '../../../ui/display/Icon';
import type { IconName } from '../../../ui/display/icon-paths';
import styles from './StageTools.module.css';

/** Tools in the hand: taps choose outlines, the pen draws one. */
export type LabelTool = 'move' | 'pen';

interface Props {
  readonly isExpert: boolean;
  readonly tool: LabelTool;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly canErase: boolean;
  readonly canFill: boolean;
  readonly canZoomIn: boolean;
  readonly canZoomOut: boolean;
  readonly canSkip: boolean;
  readonly isReadOnly: boolean;
  readonly onTool: (tool: LabelTool) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  readonly onErase: () => void;
  readonly onFill: () => void;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onRotate: () => void;
  readonly onSkip: () => void;
}

/** Tools of the picture (2§4): "undo, skip, zoom, zoom out, rotate"; experts also draw, erase and fill. */
export const StageTools = memo(function StageTools(props: Props) {
  const { isExpert, tool, isReadOnly, onTool, onZoom } = props;
  return (
    <Toolbar className={styles.tools ?? ''} aria-label="Picture" data-expert={(isExpert && !isReadOnly) || undefined}>
      {!isReadOnly && (
        <>
          <Tool label="Undo" icon="undo" hasText isDisabled={!props.canUndo} onPress={props.onUndo} />
          <Tool label="Redo" icon="redo" isDisabled={!props.canRedo} onPress={props.onRedo} />
        </>
      )}
      <Tool label="Zoom in" icon="zoomin" isDisabled={!props.canZoomIn} onPress={() => onZoom(1)} />
      <Tool label="Zoom out" icon="zoomout" isDisabled={!props.canZoomOut} onPress={() => onZoom(-1)} />
      <span className={styles.rotate}>
        <Tool label="Rotate" drawing="rotate" onPress={props.onRotate} />
      </span>
      {isExpert && !isReadOnly && (
        <>
          <Tool label="Move" drawing="move" isOn={tool === 'move'} onPress={() => onTool('move')} />
          <Tool label="Draw an outline" icon="pen" isOn={tool === 'pen'} onPress={() => onTool('pen')} />
          <Tool label="Erase this outline" icon="eraser" isDisabled={!props.canErase} onPress={props.onErase} />
          <Tool label="Fill rest" drawing="fill" isDisabled={!props.canFill} onPress={props.onFill} />
        </>
      )}
      <Tool label="Skip image" drawing="skip" hasText isDisabled={!props.canSkip} onPress={props.onSkip} />
    </Toolbar>
  );
});

interface ToolProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly drawing?: DrawingIconName;
  readonly hasText?: boolean;
  /** For tools in the hand. */
  readonly isOn?: boolean;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

function Tool({ label, icon, drawing, hasText = false, isOn, isDisabled = false, onPress }: ToolProps): ReactNode {
  return (
    <Button
      className={styles.tool ?? ''}
      aria-label={label}
      {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
      isDisabled={isDisabled}
      onPress={onPress}
    >
      {icon !== undefined && <Icon name={icon} />}
      {drawing !== undefined && <DrawingIcon name={drawing} />}
      {hasText && <span>{label}</span>}
    </Button>
  );
}
