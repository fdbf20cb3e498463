import { valueOf } from './request.ts'
import type { Request } from './request.ts'

/**
 * What arrives of a header field's value: white space (SP and HTAB) at both ends is no part of it (RFC 9110, section 5.5).
 * No other character is stripped.
 */
export function arrives(value: string): string {
  // Not `/[ \t]+$/`: on a long run of spaces inside a value, that takes quadratic time.
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1

  return value.slice(start, end)
}

/** All values that arrive under a name, whatever the letter case, in the order in which they are sent. */
export function fieldsOf(request: Request, name: string): readonly string[] {
  const wanted = name.toLowerCase()

  return request.fields
    .filter((field) => field.name.toLowerCase() === wanted)
    .map((field) => arrives(valueOf(field)))
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
