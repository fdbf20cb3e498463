import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeAllure } from '../lib/report/allure.testing.ts'
import { verdictJson } from '../lib/report/verdict-json.ts'
import type { Verdict } from '../lib/report/verdict.ts'
import { emptyFolder } from './program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What `npm run report:allure` left behind. */
export interface AllureReport {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run report:allure` with these arguments, as if it were typed in this folder of the checkout. */
export async function reportAllure(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<AllureReport> {
  const { PATH, HOME } = process.env
  const child = spawn('npm', ['run', '--silent', 'report:allure', '--', ...args], {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
    killSignal: 'SIGKILL',
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  const code = await new Promise<number | null>((ended, reject) => {
    child.once('error', reject)
    child.once('close', ended)
  })
  return { code, ...said }
}

/** A reports folder that holds this verdict and Allure's results of it. */
export async function reportsWith(verdict: Verdict): Promise<string> {
  const folder = join(await emptyFolder(), 'reports')
  await mkdir(folder)
  await writeFile(join(folder, 'verdict.json'), verdictJson(verdict))
  writeAllure(verdict, join(folder, 'allure-results'))
  return folder
}

/** Allure's page of a verdict. */
export async function pageOf(verdict: Verdict): Promise<string> {
  const folder = await reportsWith(verdict)
  const { code, stderr } = await reportAllure([folder])
  if (code !== 0) throw new Error(`report:allure ended with ${code}: ${stderr}`)
  return readFile(join(folder, 'allure.html'), 'utf8')
}
