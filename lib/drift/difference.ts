/** How a shape differs from the one that was learned; part of a fingerprint, so none is ever renamed. */
export type ShapeDifferenceKind =
  | 'removed'
  | 'renamed'
  | 'type-changed'
  | 'container-changed'
  | 'became-null'
  | 'sometimes-missing'
  | 'sometimes-null'

/** A change of answers that the specification does not let clients expect, or one that may become such: a warning. */
export interface ShapeDifference {
  /** As `$.customizations[].palette.secondary`. */
  readonly path: string
  readonly kind: ShapeDifferenceKind
  readonly severity: 'breaking' | 'warning'
  /** A sentence without its full stop, without values: `$.customizations[].palette.secondary was removed`. */
  readonly says: string
}
