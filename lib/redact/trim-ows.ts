/**
 * What arrives of a header field's value: white space (SP and HTAB) at both ends is no part of it (RFC 9110, section 5.5).
 * No other character is stripped.
 */
export function trimOws(value: string): string {
  // Not `/[ \t]+$/`: on a long run of spaces inside a value, that takes quadratic time.
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1

  return value.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
