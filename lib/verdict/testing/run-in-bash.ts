import { spawn, spawnSync } from 'node:child_process'
import { buffer, text } from 'node:stream/consumers'
import { credentials } from '../../judge/testing/exchanges.ts'

const [apiKey, secretKey] = [credentials.apiKey.reveal(), credentials.secretKey.reveal()]

/** Runs lines in a single bash process in which the test credentials are set as variables, as a user would set them. */
export async function runInBash(lines: readonly string[]) {
  const own = { LC_ALL: 'C.UTF-8', TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }
  const env = { PATH: process.env['PATH'], ...own }
  const child = spawn('bash', ['--noprofile', '--norc', '-s'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end([...lines, ''].join('\n'))
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)])

  return { stdout, stderr }
}

/** Whether a command exists. */
export function has(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}
