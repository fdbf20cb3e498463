import { enoughToBeAlways } from './compare-shapes.ts'
import { emptyShape, mergeShapes, shapeOf, type Shape } from './shape.ts'

/** The merged shape of these values. */
export function learned(...values: readonly unknown[]): Shape {
  return values.map(shapeOf).reduce(mergeShapes, emptyShape)
}

/** The shape of a value that has been seen often enough to count as constant. */
export function always(value: unknown): Shape {
  return learned(...Array.from({ length: enoughToBeAlways }, () => value))
}
