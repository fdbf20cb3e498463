import { basename, isAbsolute, relative, resolve } from 'node:path'

/** A file as reports name it: by its path in the working folder, or elsewhere by its name alone, since reports are given away. */
export function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, resolve(cwd, file))
  return path.startsWith('..') || isAbsolute(path) ? `…/${basename(file)}` : path
}

/** A text without the path of the working folder, for the same reason. */
export function withoutFolder(text: string, cwd: string): string {
  return cwd === '/' ? text : text.replaceAll(`${cwd}/`, '').replaceAll(cwd, '.')
}
