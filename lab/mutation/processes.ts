import { fork, type ChildProcess } from 'node:child_process'

/** What the process of the tests is asked. */
export type Asked =
  | {
      readonly kind: 'meet'
      readonly texts: ReadonlyMap<string, string>
      readonly within: string
      /** Names of test files that need not run again. */
      readonly without: readonly string[]
    }
  | {
      readonly kind: 'test'
      readonly texts: ReadonlyMap<string, string>
      readonly mutant: string
      readonly hitLimit: number
      readonly files: readonly string[]
      readonly seconds: number
    }

type Counts = Readonly<Record<string, number>>

/** Which mutants the test files met, by number, and how often; and which test files load a mutated file. */
export interface Met {
  readonly files: readonly {
    readonly name: string
    readonly ok: boolean
    readonly seconds: number
    readonly load?: Counts
    readonly run?: Counts
  }[]
  readonly importers: ReadonlyMap<string, readonly string[]>
}

/** The test file that failed, or null; and whether it was ended, for it took too long or went round and round. */
export interface Tested {
  readonly by: string | null
  readonly late: boolean
}

/** Asks a process; null where it ends instead, or where nothing comes for so long, whatever else the machine does. */
export function ask<Said>(child: ChildProcess, what: object, mostMs = 1_200_000): Promise<Said | null> {
  return new Promise((resolve) => {
    const settle = (said: Said | null): void => {
      clearTimeout(late)
      child.off('message', listen)
      child.off('exit', ended)
      resolve(said)
    }
    const listen = (said: Said): void => settle(said)
    const ended = (): void => settle(null)
    const late = setTimeout(() => child.kill('SIGKILL'), mostMs)
    child.on('message', listen)
    child.once('exit', ended)
    child.send(what)
  })
}

/** A process that is replaced after it ended. */
export function renewable(start: () => ChildProcess): {
  readonly get: () => ChildProcess
  readonly end: () => void
} {
  let child: ChildProcess | null = null
  return {
    get() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) child = start()
      return child
    },
    end: () => child?.disconnect(),
  }
}

/** Starts a module of TypeScript as a process. */
export function started(file: string): ChildProcess {
  return fork(new URL(file, import.meta.url), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'test', VITEST: '1' },
  })
}
