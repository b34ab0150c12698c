export { PictureViewer } from './PictureViewer';
export type { PenInput, PictureLight, ViewedPicture, ViewState, ViewerHandle } from './viewer.types';
