import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { keyPair, smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { readSigningKey } from '../../report/evidence/keys.ts'
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

/** A working folder with the `reports` of a run that ended with this verdict. */
export async function reported(
  verdict: Verdict = smallVerdict,
  options: Parameters<typeof writeReports>[2] = {},
): Promise<string> {
  const cwd = await emptyFolder()
  const folder = join(cwd, 'reports')
  await mkdir(folder)
  await writeReports(verdict, { folder, history: join(folder, 'history.jsonl') }, options)
  return cwd
}

/** A working folder with the `reports` of a run, and their bundle `evidence.tar.gz`. */
export async function sealedFrom(verdict?: Verdict): Promise<string> {
  const cwd = await reported(verdict)
  await runIn(cwd, ['bundle', 'reports', '--out', 'evidence.tar.gz'])
  return cwd
}

/** A working folder with the `reports` of a run that ended with this verdict, signed with `key.pem`. Both keys are in that folder. */
export async function signedRun(verdict: Verdict): Promise<string> {
  const cwd = await emptyFolder()
  makeKeys(cwd)
  const key = await readSigningKey(join(cwd, 'key.pem'))
  await writeReports(verdict, { folder: join(cwd, 'reports') }, { key })
  return cwd
}

/** Writes a new Ed25519 key pair to a folder, as `key.pem` and `public.pem`. */
export function makeKeys(cwd: string): void {
  const { privateKey, pem } = keyPair()
  writeFileSync(join(cwd, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(cwd, 'public.pem'), pem)
}
