import type { Verdict } from '../../verdict/verdict.ts'

/** The tests that vitest is about to run, known before it reads a test file. */
export type Selection = Readonly<{
  /** Whether vitest watches the sources and repeats runs. */
  watch: boolean
  /** The names of the files without their extensions, and a pattern for the name of a suite followed by the name of a test. */
  files: readonly Readonly<{ file: string; pattern: RegExp | undefined }>[]
}>

/** The outcome of a run, passed from a test file to vitest's reporters, and whether it left reports. */
export type RunOutcome = Readonly<{ verdict: Verdict; isWritten: boolean }>

/** Why a verdict is not conformant; null if it is. */
export function troubleIn({ verdict, exitCode, because }: Verdict) {
  return exitCode === 0 ? null : [`${verdict}:`, ...because].join('\n')
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Missing while vitest only collects tests. */
    selection?: Selection
  }
}

/** Whether vitest runs all tests of these files, without watching. */
export function isWhole({ watch, files }: Selection, all: readonly string[]) {
  const whole = files.filter(({ pattern }) => pattern === undefined).map(({ file }) => file)
  return !watch && all.every((name) => whole.includes(name))
}

/** Whether vitest runs a test in a file. */
export function isPicked(
  { files }: Selection,
  { file, suite, name }: Readonly<Record<'file' | 'suite' | 'name', string>>,
) {
  const inFile = files.filter((picked) => picked.file === file)
  return inFile.some(({ pattern = /(?:)/ }) => `${suite} ${name}`.search(pattern) !== -1)
}
