import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../lib/serve/reference/service.ts'

/** Starts the reference service as `startReference` does, and knows the names of all faults and variants, not only of those that ship. */
export async function startService({
  faults = [],
  variant,
  ...options
}: ReferenceOptions = {}): Promise<ReferenceService> {
  if (faults.length === 0 && variant === undefined) return startReference(options)

  // They are many, and most services of tests need none.
  const { findFault, findVariant } = await import('./find.ts')
  return startReference({
    ...options,
    faults: faults.map(findFault),
    ...(variant === undefined ? {} : { variant: findVariant(variant) }),
  })
}
