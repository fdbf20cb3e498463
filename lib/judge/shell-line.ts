import type { Request } from '../http/request.ts'
import { curlLine } from './curl.ts'
import type { LineOptions } from './curl.ts'
import { rawLine } from './raw-line.ts'

/** The request as a line for bash that sends it again: with curl where curl can say it, otherwise byte for byte; null where no line says it. */
export function shellLine(request: Request, options: LineOptions): string | null {
  return curlLine(request, options) ?? rawLine(request, options)
}
