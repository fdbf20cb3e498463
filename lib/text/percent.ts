/** A decoded percent-encoded text, or null if it is malformed. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
