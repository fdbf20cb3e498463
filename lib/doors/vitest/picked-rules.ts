import type { Verdict } from '../../verdict/verdict.ts'

/** The tests in a file that vitest runs. */
interface Picked {
  /** The name of the file without its extension. */
  readonly file: string
  /** Pattern for the name of a suite followed by the name of a test. */
  readonly pattern: RegExp | undefined
}

/** The tests that vitest is about to run, known before it reads a test file. */
export interface Selection {
  /** Whether vitest watches the sources and repeats runs. */
  readonly watch: boolean
  readonly files: readonly Picked[]
}

/** The outcome of a run, passed from a test file to vitest's reporters. */
export interface RunOutcome {
  /** Null if the run left no reports. */
  readonly verdict: Verdict | null
  /** Why the verdict is missing or not conformant; null if it is conformant. */
  readonly trouble: string | null
  /** The file of the private key that signs the reports, or null. */
  readonly keyFile: string | null
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Missing while vitest only collects tests. */
    selection?: Selection
  }
}

/** A test in a file, and its suite. */
export interface Listed {
  readonly file: string
  readonly suite: string
  readonly name: string
}

/** Whether vitest runs all tests of these files, without watching. */
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
