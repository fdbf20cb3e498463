/** A part of a value as a shell writes it: text byte for byte (characters up to U+00FF), or what the shell expands. */
export type ShellPart = { readonly text: string } | { readonly expansion: string }

/** The parts between two double quotes, or null where a text is not printable ASCII. */
export function inDoubleQuotes(parts: readonly ShellPart[]): string | null {
  const written = parts.map((part) => ('expansion' in part ? part.expansion : quotable(part.text)))
  return written.includes(null) ? null : written.join('')
}

function quotable(text: string): string | null {
  return /^[\x20-\x7e]*$/.test(text) ? text.replaceAll(/["$`\\]/g, String.raw`\$&`) : null
}
