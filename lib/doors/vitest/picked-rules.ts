import type { Verdict } from '../../verdict/verdict.ts'

/** What vitest runs of a test file. */
interface Picked {
  /** The file's name without its ending. */
  readonly file: string
  /** What the name of a test, behind that of its suite, must match. */
  readonly pattern: RegExp | undefined
}

/** What vitest is about to run, as it knows before it has read a test file. */
export interface Selection {
  /** Whether it watches the sources and repeats runs. */
  readonly watch: boolean
  readonly files: readonly Picked[]
}

/** What a run came to, which a test file tells vitest's reporters. */
export interface RunOutcome {
  /** Null if nothing was judged. */
  readonly verdict: Verdict | null
  /** Why the verdict is not conformant, or there is none; else null. */
  readonly trouble: string | null
  /** Whether it left reports. */
  readonly whole: boolean
  /** File of the private key that signs them, or null. */
  readonly keyFile: string | null
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Missing while vitest only collects tests. */
    selection?: Selection
  }
}

/** A test of a file, and the suite it is in. */
export interface Listed {
  readonly file: string
  readonly suite: string
  readonly name: string
}

/** Whether vitest runs all tests of these files, and once. */
export function isWhole({ watch, files }: Selection, all: readonly string[]): boolean {
  const whole = files.filter(({ pattern }) => pattern === undefined)
  return !watch && all.every((name) => whole.some(({ file }) => file === name))
}

/** Whether vitest runs a test. */
export function isPicked({ files }: Selection, { file, suite, name }: Listed): boolean {
  return files.some(
    (picked) =>
      picked.file === file &&
      (picked.pattern === undefined || `${suite} ${name}`.search(picked.pattern) !== -1),
  )
}
