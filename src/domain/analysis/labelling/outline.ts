import type { Position } from '../../geobuf/geojson';

/** Prediction of the model or the segmentation for an outline (2§3 "predicted {id, pixels, icon, label}"). */
export interface Predicted {
  readonly id: string;
  /** Area on the picture that was segmented, px. */
  readonly pixels: number;
  /** Icon name of the predicted class. */
  readonly icon: string;
  /** Predicted class: of a model any label of a set; of the segmentation `water`, `sand`, `reef` or `uncategorised`. */
  readonly label: string;
}

/** Closed shape on a picture that a person labels. */
export interface Outline {
  /** Id of the prediction, or a house id for one that an expert drew. */
  readonly id: string;
  /**
   * Closed rings (last position equals the first), normalised 0 to 1 by width and height, 5 decimals. The first one is
   * the border, others are holes (even-odd).
   */
  readonly rings: readonly (readonly Position[])[];
  /** Fraction of the picture, 0 to 1, without holes. */
  readonly area: number;
  /** null for one that an expert drew. */
  readonly predicted: Predicted | null;
}

/** Outlines of one photograph, largest first (2§4 "Outlines are sorted by area, largest first"). */
export interface OutlineSet {
  readonly source: 'model' | 'segmentation';
  /** Model directory of the region (`mlAnalysisDir`), or the version of the segmentation. */
  readonly model: string;
  /** Size of the picture that was segmented, px. */
  readonly width: number;
  readonly height: number;
  readonly outlines: readonly Outline[];
}
