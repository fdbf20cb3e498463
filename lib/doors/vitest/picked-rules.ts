/** What vitest runs of a test file. */
interface Picked {
  /** The file's name without its ending. */
  readonly file: string
  /** What the name of a test, behind that of its suite, must match. */
  readonly pattern: RegExp | undefined
  /** The names of its tests where they were picked one by one. */
  readonly names: readonly string[] | undefined
}

/** What vitest is about to run, as it knows before it has read a test file. */
export interface Selection {
  /** Whether it watches the sources and repeats runs. */
  readonly watch: boolean
  readonly files: readonly Picked[]
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Missing while vitest only collects tests. */
    selection?: Selection
  }
}

/** A test of a file; the suite it is in, if any. */
export interface Listed {
  readonly file: string
  readonly suite: string | null
  readonly name: string
}

/** Whether vitest runs a test. */
export function isPicked({ files }: Selection, { file, suite, name }: Listed): boolean {
  const fullName = suite === null ? name : `${suite} ${name}`
  return files.some(
    (picked) =>
      picked.file === file &&
      (picked.pattern === undefined || fullName.search(picked.pattern) !== -1) &&
      (picked.names?.includes(name) ?? true),
  )
}
