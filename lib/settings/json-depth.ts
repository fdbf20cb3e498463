/** Maximum depth of JSON in a user's file, in levels: what walks it recursively would run out of stack far below. */
export const mostLevels = 200

/** Whether a text, if it is JSON, is nested deeper than {@link mostLevels}. */
export function isTooDeep(text: string): boolean {
  let level = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at += 1
      else if (character === '"') isInString = false
    } else if (character === '"') {
      isInString = true
    } else if (character === '[' || character === '{') {
      level += 1
      if (level > mostLevels) return true
    } else if (character === ']' || character === '}') {
      level -= 1
    }
  }
  return false
}
