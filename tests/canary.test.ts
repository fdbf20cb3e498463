import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { echoes } from '../lab/echoes/all-echoes.ts'
import { everyCanary } from '../lab/echoes/canaries.ts'
import { leaks } from './leaks/leaks.ts'
import { runInProcess } from './support/in-process.ts'
import { expectEnds } from './support/program-test.ts'
import { folderWith, runProgram, whileServing } from './support/program.ts'
import type { ProgramOptions, ProgramResult, Texts } from './support/program.ts'

interface Canary extends ProgramOptions {
  /** Files in the working folder that contained credentials before the run. */
  readonly except?: readonly string[]
  /** Texts that must not appear anywhere, in addition to the canaries. */
  readonly others?: readonly string[]
}

/**
 * Runs the program and fails the test if a canary appears in any byte that it printed or wrote. For a separate process, the process
 * list is searched too.
 */
async function run(
  args: readonly string[],
  { except = [], others = [], ...options }: Canary = {},
  runs: typeof runProgram = options.started === undefined ? runInProcess : runProgram,
): Promise<ProgramResult> {
  const argv: string[] = []
  const started = (child: ChildProcess): void => {
    // Title and arguments, as Linux shows them to all users.
    const file = `/proc/${String(child.pid)}/cmdline`
    const read = (): Promise<string> => readFile(file, 'utf8').catch(() => '')
    child.once('spawn', () => void read().then((text) => argv.push(text)))
    options.started?.(child)
  }
  const result = await runs(args, runs === runProgram ? { ...options, started } : options)
  const { stdout, stderr, cwd: reportsFolder } = result
  const shown = { stdout, stderr, reportsFolder, except, argv }

  expect(await leaks(shown, [...everyCanary, ...others])).toEqual([])
  return result
}

/** Starts an echo by its name. It ends with the test. */
async function echoing(name: string): Promise<Readonly<Record<string, string>>> {
  const found = echoes.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no echo ${name}`)
  const { env, close } = await found.start()
  onTestFinished(close)
  return env
}

/** A command against an echo, by default `in-success`, and what it prints. */
interface Leaving extends Canary {
  readonly words: string
  readonly echo?: string
  readonly files?: Texts
  readonly code?: number
  readonly says?: string | RegExp
}

const waiver = { rule: 'security/no-secret-echo', reason: 'a', owner: 'a', expires: '2999-01-01' }
const waivers = { 'w.json': JSON.stringify([waiver]) }
const debugged = '--only authentication/secret-key-invalid'
const password = 'Pr0xy-Gehe1m-\u00fc\u00df-7Yt'
const HTTPS_PROXY = `http://somebody:${encodeURIComponent(password)}@127.0.0.1:9`
const behindProxy = { TARGET_BASE_URL: 'https://target.example', HTTPS_PROXY }
const inMessage = 'in-error-message'
const thrown = `setImmediate(() => { throw new Error('provoked') })`
const subscribed = `require('node:diagnostics_channel').subscribe('net.client.socket', () => ${thrown})`
const crash = { 'crash.cjs': subscribed }
const options = '--require ./crash.cjs --report-uncaught-exception --stack-trace-limit=100'
const reporting = { NODE_OPTIONS: options }

const showing = ['--help', 'run --help', '--version', 'rules --format json', 'plan', 'plan --strict']

// The lab judges every echo.
const leaving: readonly Leaving[] = [
  { words: 'run', echo: 'everywhere', started: () => {} },
  { words: '--format json', echo: 'in-error-code', code: 1 },
  { words: '--format json', echo: 'client-table' },
  ...showing.map((words) => ({ words })),
  { words: 'doctor', echo: 'everywhere', says: 'TARGET_API_KEY' },
  { words: 'doctor', echo: 'refused-by-name', code: 3, says: 'TARGET_API_KEY' },
  { words: 'doctor', echo: 'in-reason-phrase', says: 'TARGET_API_KEY' },
  { words: '--baseline baseline.json', echo: 'in-property-names', says: 'baseline written' },
  { words: '--waivers w.json --strict', echo: 'everywhere', files: waivers, says: 'WITH 1 AGREED EXCEPTION' },
  // An absent proxy, with a password beyond ASCII.
  { words: 'run', env: behindProxy, others: [password], code: 3 },
  // With all sections, Node prints the bytes that it sends, and the settings and environment of workers.
  ...['undici', 'http,https,net,tls', '*'].map((NODE_DEBUG) => {
    return { words: debugged, echo: inMessage, env: { NODE_DEBUG }, says: /^(?:UNDICI|NET) \d+: /m }
  }),
  // A stack trace and a Node report.
  { words: '--max-rps 10', echo: inMessage, files: crash, env: reporting, code: 4, says: 'provoked' },
]
test.for(leaving)('no credential leaves $words, against the echo $echo: %#', async (row) => {
  const { words, echo: name = 'in-success', files = {}, code = 0, says = '', ...more } = row
  const [cwd, env] = [await folderWith(files), { ...(await echoing(name)), ...more.env }]

  const ended = await run(words.split(' '), { ...more, cwd, env })

  expect(`${ended.stdout}${ended.stderr}`).toMatch(says)
  expect(ended.code).toBe(code)
})

test('no credential leaves replay, for a finding that echoes everything', async () => {
  const env = await echoing('in-html-page')
  const { verdict } = await run(['--only', 'authentication/secret-key-invalid'], { env })
  const found = verdict?.rules.flatMap(({ findings }) => findings)[0]

  expectEnds(await run(['replay', found?.case ?? ''], { env }), 1, 'TARGET_API_KEY')
})

test('no credential leaves serve, with credentials in its environment', async () => {
  const env = await echoing('in-success')

  expectEnds(await whileServing(['serve'], async () => {}, { env }, run), 0)
})

test('no credential leaves proxy, which prints a line per request and change', async () => {
  const env = await echoing('everywhere')
  const hidden = { [`x-${key.replaceAll(/[^A-Za-z0-9]/g, '')}`]: secret, cookie: secret }
  const headers = { 'x-api-key': key, 'x-secret-key': secret, 'x-version': '1', ...hidden }
  const path = `/api/customizations/list?secret=${encodeURIComponent(secret)}`
  let answered = ''
  const asking = async (text: string): Promise<void> => {
    const [, from = ''] = /listens at (http:\/\/\S+)/.exec(text) ?? []
    answered = await (await fetch(`${from}${path}`, { headers })).text()
  }
  const args = ['proxy', '--log-changes', '--base-url', env['TARGET_BASE_URL'] ?? '']
  const { stdout } = await whileServing(args, asking, { env }, run)

  expect(answered).toContain('Kp7')
  expect(stdout).toMatch(/#1 GET \/api\/customizations\/list 200[^]*\n {2}#1 (?:added|changed) \$/)
})

/** What a user gives, and a file in the working folder that contains credentials. */
type Mistake = Pick<ProgramOptions, 'env'> & { args?: readonly string[]; file?: Record<string, unknown> }

const [key = '', secret = '', second = ''] = everyCanary
const client = { TARGET_BASE_URL: 'http://127.0.0.1:9', TARGET_API_KEY: key, TARGET_SECRET_KEY: secret }
const address = 'TARGET_BASE_URL=http://127.0.0.1:9'
const overTls = { TARGET_BASE_URL: 'https://127.0.0.1:9' }
const userInfo = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`
const pem = (what: string, text: string): string => `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----`
const asArguments = (...args: readonly string[]): Mistake => ({ args })
const inSettings = (env: Readonly<Record<string, string>>): Mistake => ({ env })
const inEnvFile = (...lines: readonly string[]): Mistake => ({ file: { '.env': `${lines.join('\n')}\n` } })
const inFileOf = (flag: string, given: unknown) => ({ args: [`--${flag}`, 'given'], file: { given } })

const unescaped = `https://${key}:${secret}@127.0.0.1/${second}?k=${second}#${second}`
const asFiles = ['--waivers', secret, '--endpoints', key]
const others = { fingerprint: secret, expires: secret }
const misspelled = { TARGET_SECRET_KYE: second, FIXTURE_SECOND_API_KEYS: second, target_api_key: second }

// lib/doors/cli/refused-commands.test.ts has credentials as arguments, and tests/replay.test.ts as a case.
const mistakes: Readonly<Record<string, Mistake>> = {
  'in misspelled settings': inSettings(misspelled),
  'in the user info of the address': inSettings({ TARGET_BASE_URL: `https://${userInfo}@127.0.0.1` }),
  'unescaped in the address': inSettings({ TARGET_BASE_URL: unescaped }),
  'instead of the address': inSettings({ TARGET_BASE_URL: secret }),
  'as the value of an unknown flag': asArguments(`--secret-key=${secret}`, `--target-api-key=${key}`),
  'as a file name': asArguments(...asFiles, '--baseline', key, '--ca-file', secret),
  'as an unknown choice, with an equals sign': asArguments('rules', `--format=${second}`),
  'in other settings': inSettings({
    TARGET_QUERY: `key=${secret} ü`,
    TARGET_LABEL: secret,
    FIXTURE_INVALID_QUERY: `?${key}`,
    RUN_ONLY: `${key},${secret}`,
    TARGET_VERSION: secret,
  }),
  'with white space': inSettings({ TARGET_API_KEY: `${key}\n`, TARGET_SECRET_KEY: ` ${secret}\t` }),
  'beyond ASCII': inSettings({ TARGET_API_KEY: `ü${key}`, TARGET_SECRET_KEY: `${secret}\u201d` }),
  'with identical key and secret, and an incomplete client': inSettings({
    TARGET_SECRET_KEY: key,
    FIXTURE_SECOND_API_KEY: second,
    FIXTURE_INACTIVE_SECRET_KEY: secret,
  }),
  'that is a whole file': inSettings({ TARGET_SECRET_KEY: pem('PRIVATE KEY', secret.repeat(200)) }),
  'in an invalid proxy address': inSettings({ ...overTls, HTTPS_PROXY: `${key}:${secret}@` }),
  'in an unquoted env file': inEnvFile(address, `TARGET_API_KEY=${key}#1`, `TARGET_SECRET_KEY=${secret}`),
  'in an env file with a colon': inEnvFile(address, `TARGET_API_KEY: ${key}`, secret),
  'in misspelled lines': inEnvFile(address, `TARGET_APIKEY=${key}`, `TARGET_SECRET-KEY=${secret}`),
  'in an env file with a NUL': inEnvFile(`TARGET_API_KEY=${key}\0`, `TARGET_SECRET_KEY=${secret}`),
  'in a waivers file': inFileOf('waivers', [{ rule: secret, reason: secret, ...others }]),
  'in a waivers file that is not JSON': inFileOf('waivers', `[{ "rule": "${secret}`),
  'in endpoints': inFileOf('endpoints', [{ method: secret, path: `/${secret}`, [secret]: secret }]),
  'in a baseline': inFileOf('baseline', { format: secret, [secret]: secret }),
  'in a CA file': inFileOf('ca-file', pem('CERTIFICATE', secret)),
}

test.for(Object.entries(mistakes))('no message shows a credential %s', async ([, mistake]) => {
  const { args = [], env, file = {} } = mistake
  const cwd = await folderWith(file)
  const settings = '.env' in file ? {} : { ...client, ...env }

  const { code } = await run(args, { cwd, env: settings, except: Object.keys(file) })

  expect(code).toBe(2)
})
