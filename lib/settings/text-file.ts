import { readBounded, UnfitFile } from './bounded-file.ts'

/** What came of reading a user's file: its text, or a phrase that says why it could not be read. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Reads a file that must be UTF-8 text of at most so many bytes; a byte order mark is dropped. */
export async function readTextFile(path: string, most: number): Promise<TextFile> {
  let bytes: Buffer
  try {
    bytes = await readBounded(path, most)
  } catch (error) {
    return failure(error)
  }
  if (bytes.includes(0))
    return { kind: 'unreadable', why: 'a file that holds NUL bytes, so it is not UTF-8 text' }

  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { kind: 'unreadable', why: 'a file that is not UTF-8 text' }
  }
}

/** Why the file could not be read, as a phrase that follows its path in brackets. */
export function whyNot(file: Exclude<TextFile, { readonly kind: 'text' }>): string {
  return file.kind === 'missing' ? 'a file that does not exist' : file.why
}

function failure(error: unknown): TextFile {
  if (error instanceof UnfitFile) return { kind: 'unreadable', why: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown trouble'
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
  if (code === 'EISDIR') return { kind: 'unreadable', why: 'a folder' }
  if (code === 'EACCES' || code === 'EPERM')
    return { kind: 'unreadable', why: 'a file that this user may not read' }

  return { kind: 'unreadable', why: `a file that cannot be read (${code})` }
}
