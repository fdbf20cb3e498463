import { trimOws } from '../redact/trim-ows.ts'
import { valueOf } from './request.ts'
import type { Request } from './request.ts'

/** All values that arrive under a name, whatever the letter case, in the order in which they are sent. */
export function fieldsOf(request: Request, name: string): readonly string[] {
  const wanted = name.toLowerCase()

  return request.fields
    .filter((field) => field.name.toLowerCase() === wanted)
    .map((field) => trimOws(valueOf(field)))
}
