import type { Verdict } from '../../verdict/verdict.ts'

/** The tests that vitest is about to run, known before it reads a test file. */
export interface Selection {
  /** Whether vitest watches the sources and repeats runs. */
  readonly watch: boolean
  /** The names of the files without their extensions, and a pattern for the name of a suite followed by the name of a test. */
  readonly files: readonly { readonly file: string; readonly pattern: RegExp | undefined }[]
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

/** Whether vitest runs all tests of these files, without watching. */
export function isWhole({ watch, files }: Selection, all: readonly string[]): boolean {
  const whole = files.filter(({ pattern }) => pattern === undefined)
  return !watch && all.every((name) => whole.some(({ file }) => file === name))
}

/** Whether vitest runs a test in a file. */
export function isPicked(
  { files }: Selection,
  { file, suite, name }: Readonly<Record<'file' | 'suite' | 'name', string>>,
): boolean {
  return files.some(
    (picked) =>
      picked.file === file &&
      (picked.pattern === undefined || `${suite} ${name}`.search(picked.pattern) !== -1),
  )
}
