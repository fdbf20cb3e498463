/** The code of an error of the file system, as `ENOENT`; null for another error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what should be its folder is a file',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
}

/** Why a file could not be read or written, as a phrase for its owner. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? 'unknown trouble'
  return reasons[code] ?? code
}
