/** Parses a URL; returns null if it is invalid. Node 20's `URL.canParse` rejects letters such as ü once it has been compiled. */
export function urlOf(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
