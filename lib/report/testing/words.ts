/** The text of a page, with one line for each block that contains text. */
export function wordsOf(page: string): string {
  return page
    .replaceAll(/<(style|script|svg|title)\b.*?<\/\1>|<summary>Words<.*?<\/details>/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<\/(?:p|li|tr|h\d|dd|div|summary|pre|section|header)>/g, '\n')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
