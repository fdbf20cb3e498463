/** The documented error object as a JSON Schema; anything may stand beside its two properties. Source: Errors. */
export const errorObjectSchema = {
  type: 'object',
  required: ['error_code', 'error_message'],
  properties: {
    error_code: { type: 'string' },
    error_message: { type: 'string' },
  },
} as const
