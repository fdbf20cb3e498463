/** Parses a URL; returns null if it is invalid. Node 20's `URL.canParse` rejects letters such as ü once it has been compiled. */
export function urlOf(text: string, base?: string) {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** Decodes percent-encoded text; returns null if it is malformed. */
export function percentDecoded(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
