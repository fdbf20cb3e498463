import type { KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyPair, smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { writeReports } from '../../report/write-reports.ts'
import { folderWith } from '../../text/folder.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { capturedConsole } from './console.testing.ts'
import type { Console } from './console.ts'
import { main } from './program.ts'

/** Runs the program with these arguments in a working folder and in this process. */
export async function runIn(cwd: string, args: readonly string[], env: Console['env'] = {}) {
  const { console, said } = capturedConsole({ env, cwd, now: () => new Date('2026-11-20T12:00:00Z') })
  return { code: await main(args, console), ...said }
}

/** A new empty folder, removed when the test ends. */
export const emptyFolder = (): Promise<string> => folderWith()

/** A working folder with the `reports` of a run that ended with this verdict. If it is signed, its keys are in that folder. */
export async function reported(
  verdict: Verdict = smallVerdict,
  { allure = false, isSigned = false } = {},
): Promise<string> {
  const cwd = await emptyFolder()
  const key = isSigned ? makeKeys(cwd) : null
  await writeReports(verdict, { folder: join(cwd, 'reports'), allure, key })
  return cwd
}

/** Writes a new Ed25519 key pair to a folder, as `key.pem` and `public.pem`. Returns the private key. */
export function makeKeys(cwd: string): KeyObject {
  const { privateKey, pem } = keyPair()
  writeFileSync(join(cwd, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(cwd, 'public.pem'), pem)
  return privateKey
}
