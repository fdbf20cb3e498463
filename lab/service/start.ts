import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../lib/serve/reference/service.ts'

/**
 * Starts the reference service like `startReference`, but knows the names of all faults and variants, not
 * only of the shipped ones.
 */
export async function startService({
  faults = [],
  variant,
  ...options
}: ReferenceOptions = {}): Promise<ReferenceService> {
  if (faults.length === 0 && variant === undefined) return startReference(options)

  // Loaded on demand: there are many, and most services of tests need none of them.
  const { findFault, findVariant } = await import('./find.ts')
  return startReference({
    ...options,
    faults: faults.map(findFault),
    ...(variant === undefined ? {} : { variant: findVariant(variant) }),
  })
}
