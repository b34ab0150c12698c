export { preparePicture } from './open-picture';
export { PictureViewer } from './PictureViewer';
export type { PenInput, PictureArea, PictureLight, ViewedPicture, ViewState, ViewerHandle } from './viewer.types';
