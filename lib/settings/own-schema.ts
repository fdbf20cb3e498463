/** Ajv options for our own schemas; checking each against the meta-schema would take 20 ms. */
export const ownSchema = {
  meta: false,
  validateSchema: false,
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  code: { source: true, esm: true },
} as const

/** Schema of a string, with a description of the expected value. */
export function stringLike(pattern: string, description: string): object {
  return { type: 'string', pattern, description }
}
