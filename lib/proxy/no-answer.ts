import { classifyError } from '../http/classify-error.ts'

/** Why there is no answer, or not the rest of one, in a sentence without any value of the request; `at` is host and port. */
export function whyNoAnswer(error: unknown, at: string): string {
  const trouble = classifyError(error, at)
  if (trouble !== null) return trouble.message

  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW')
    return `the header fields of the answer of ${at} are longer than this proxy reads (16 KiB)`
  if (code === 'HPE_INVALID_EOF_STATE') return `${at} closed the connection before its answer was complete`
  if (code.startsWith('HPE_'))
    return `what ${at} answered is not HTTP: are scheme and port of TARGET_BASE_URL right?`
  return `it cannot be passed on (${code})`
}

/** Whether the connection was closed before anything came. */
export function isClosed(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
