import { basename, isAbsolute, relative, resolve } from 'node:path'

/** A file as shown in reports, which are shared: its path if it is in the working folder, otherwise only its name. */
export function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, resolve(cwd, file))
  return path.startsWith('..') || isAbsolute(path) ? `…/${basename(file)}` : path
}

/** Returns a text without the path of the working folder, because reports are shared. */
export function withoutFolder(text: string, cwd: string): string {
  return cwd === '/' ? text : text.replaceAll(`${cwd}/`, '').replaceAll(cwd, '.')
}
